import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// Hosts whose folders are copies of one another, and have one identifier.
@Suite struct CopiedFolderTests {
    private struct Refusal: Error {}

    /// Opens a folder and a copy of it.
    private func withTwins(
        _ body: (_ own: Realm, _ twin: Realm) async throws -> Void
    ) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let (first, second) = (path + "-1", path + "-2")
            let origin = try await Realm.open(configuration(first, engine))
            try await origin.write { tx in _ = try tx.create(Mark.self, value: ["number": 0]) }
            try await origin.close()
            try FileManager.default.copyItem(atPath: first, toPath: second)
            var hosts: [UUID?] = []
            for isCopied in [true, false] {
                let own = try await Realm.open(configuration(first, engine))
                let twin = try await Realm.open(configuration(second, engine))
                if isCopied {
                    try #require(own.sharing.host == twin.sharing.host)
                    try await body(own, twin)
                    #expect(own.sharing.host != twin.sharing.host)
                    hosts = [own.sharing.host, twin.sharing.host]
                } else {
                    #expect(hosts == [own.sharing.host, twin.sharing.host])
                }
                for realm in [own, twin] { try await realm.close() }
            }
            for path in [first, second] { try Realm.deleteFiles(at: path) }
        }
    }

    /// Each ignored the requests of the other for the writer lease.
    @Test func theyTakeDifferentIdentifiers() async throws {
        try await withTwins { own, twin in
            for number in 1...6 {
                try await (number % 2 == 0 ? own : twin).write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            for realm in [own, twin] {
                let state = try await realm.refreshed(.toNewest)
                #expect(state.objects(Mark.self).map(\.number).sorted() == Array(0...6))
            }
        }
    }

    /// Rows of the copy were taken for those that this host had rolled back.
    @Test("D1: a reference of a rolled back write does not resolve to a row of the copy")
    func references() async throws {
        try await withTwins { own, twin in
            let found = Mutex<ObjectReference<Mark>?>(nil)
            await #expect(throws: Refusal.self) {
                try await own.write { tx in
                    let reference = try tx.create(Mark.self, value: ["number": 1]).reference
                    found.withLock { $0 = reference }
                    throw Refusal()
                }
            }
            let lost = try #require(found.withLock { $0 })
            let later = try await twin.write { tx in
                try tx.create(Mark.self, value: ["number": 2]).reference
            }
            _ = try await own.refreshed(.toNewest)
            // Otherwise nothing can be mistaken.
            #expect(later == lost && own.objects(Mark.self).count == 2)
            #expect(own.resolve(lost) == nil)
        }
    }
}
