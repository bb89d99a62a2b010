import Foundation
import RealmActors
import Testing

private final class Note: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var text = ""
}

/// Backups that continue each other, of realms that are in use. What crashes leave of them is the
/// business of the tests of the engine.
@Suite struct BackupTests {
    private static func fill(_ realm: Realm, _ numbers: Range<Int>) async throws {
        try await realm.write { tx in
            for number in numbers {
                let text = String(repeating: "text \(number) ", count: 40)
                try tx.create(Note.self, value: ["number": number, "text": text])
            }
        }
    }

    @Test("W3: each backup takes what is new") func eachTakesWhatIsNew() async throws {
        try await withStorePath { path in
            let backup = path + "-backup"
            let realm = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
            try await Self.fill(realm, 0..<2000)
            try await realm.compact()
            let first = try await realm.backUp(to: backup)
            #expect(!first.isIncremental && first.bytesKept == 0 && first.bytesCopied > 100_000)
            try await Self.fill(realm, 5000..<5001)
            let second = try await realm.backUp(to: backup)
            #expect(second.isIncremental && second.version == realm.latestVersion)
            #expect(second.bytesCopied < first.bytesCopied / 2)
            #expect("\(second)".contains("were there already"))
            // It can be read beside the realm that it is a copy of.
            let copy = try await Realm.open(
                .init(path: backup, objectTypes: [Note.self], readOnly: true))
            #expect(copy.objects(Note.self).count == 2001)
            #expect(try await copy.verify().isIntact)
            try await copy.close()
            try await realm.close()
            try Realm.deleteFiles(at: backup)
            #expect(!FileManager.default.fileExists(atPath: backup))
        }
    }

    @Test("W3: writers continue during a backup") func writersGoOnMeanwhile() async throws {
        try await withStorePath { path in
            let backup = path + "-backup"
            let realm = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
            try await Self.fill(realm, 0..<100)
            let writer = Task {
                var number = 1000
                while !Task.isCancelled {
                    try await Self.fill(realm, number..<number + 10)
                    number += 10
                    if number % 500 == 0 { try await realm.compact() }
                }
            }
            for _ in 0..<8 {
                let before = realm.objects(Note.self).count
                let report = try await realm.backUp(to: backup)
                let copy = try await Realm.open(
                    .init(path: backup, objectTypes: [Note.self], readOnly: true))
                #expect(copy.latestVersion == report.version)
                #expect(copy.objects(Note.self).count >= before)
                #expect(copy.objects(Note.self).count % 10 == 0)
                #expect(try await copy.verify().isIntact)
                try await copy.close()
            }
            writer.cancel()
            _ = try? await writer.value
            try await realm.close()
            try Realm.deleteFiles(at: backup)
        }
    }

    @Test("W3: a backup of something else is refused") func whatCannotBeDoneIsRefused() async throws
    {
        let memory = try await Realm.open(
            .init(inMemoryIdentifier: "backup", objectTypes: [Note.self]))
        await #expect(throws: RealmError.self) { try await memory.backUp(to: "nowhere") }
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
            try await Self.fill(realm, 0..<10)
            await #expect(throws: RealmError.self) { try await realm.backUp(to: path) }
            try await realm.writeCopy(to: path + "-copy")
            await #expect(throws: RealmError.self) { try await realm.backUp(to: path + "-copy") }
            let cancelled = Task {
                // Safe: the task cancels itself.
                withUnsafeCurrentTask { $0?.cancel() }
                return try await realm.backUp(to: path + "-backup")
            }
            await #expect(throws: (any Error).self) { try await cancelled.value }
            try await realm.close()
            await #expect(throws: RealmError.closed) {
                try await realm.backUp(to: path + "-backup")
            }
            try Realm.deleteFiles(at: path + "-copy")
        }
    }
}
