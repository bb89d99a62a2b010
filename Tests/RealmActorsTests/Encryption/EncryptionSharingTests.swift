import Foundation
import Storage
import Testing

@testable import RealmActors

/// Encrypted stores that several processes have open.
@Suite(.enabled(if: EncryptionAlgorithm.isAvailable)) struct EncryptionSharingTests {
    private func add(_ id: Int, to realm: Realm) async throws {
        try await realm.write { tx in
            try tx.create(SharedParcel.self, value: ["id": id, "state": id])
        }
    }

    @Test func processesWriteInTurnsToAnEncryptedStore() async throws {
        let key = try EncryptionKey.made()
        try await SharedFolder.with { folder in
            let first = try await folder.open(0, key: key)
            try await add(0, to: first)
            let second = try await folder.open(1, key: key)
            for turn in 1...20 {
                let writer = turn % 2 == 0 ? first : second
                try await add(turn, to: writer)
                if turn % 5 == 0 { try await writer.compact() }
            }
            let version = max(first.latestVersion, second.latestVersion)
            for realm in [first, second] {
                #expect(await realm.reaches(version))
                #expect(realm.states == Dictionary(uniqueKeysWithValues: (0...20).map { ($0, $0) }))
                #expect(try await realm.verify().isIntact)
            }
            try await first.close()
            try await second.close()
        }
    }

    @Test func whoeverIsOpenGoesOnAfterANewKey() async throws {
        let (old, new) = (try EncryptionKey.made(1), try EncryptionKey.made(2))
        try await SharedFolder.with { folder in
            let first = try await folder.open(0, key: old)
            try await add(0, to: first)
            let second = try await folder.open(1, key: old)
            try await first.rekey(to: new)
            try await add(1, to: first)
            #expect(await second.reaches(first.latestVersion))
            try await add(2, to: second)
            #expect(await first.reaches(second.latestVersion))
            #expect(first.states.count == 3)
            // A reopening asks for no key: the realm is known.
            try await second.reopen()
            #expect(second.states.count == 3)
            await #expect(throws: RealmError.wrongKey(path: folder.name(2))) {
                try await folder.open(2, key: old)
            }
            let third = try await folder.open(2, key: new)
            #expect(third.states.count == 3)
            for realm in [first, second, third] { try await realm.close() }
        }
    }
}
