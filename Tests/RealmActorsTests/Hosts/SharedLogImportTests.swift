import Dispatch
import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// A `.realm` file is imported into a realm that several hosts write.
@Suite struct SharedLogImportTests {
    final class Crate: Object {
        @Persisted var number: Int
        @Persisted var weight: Int
    }

    /// A file with the crates 1 and 2, of which there are three weights.
    private static func damagedFile() throws -> URL {
        var builder = RealmFileBuilder()
        let (numbers, weights) = (builder.integers([1, 2]), builder.integers([10, 20, 30]))
        builder.table(
            "class_Crate", count: 2,
            [.init("number", type: 0, leaf: numbers), .init("weight", type: 0, leaf: weights)])
        let url = URL(fileURLWithPath: TestFolder.path("crates") + ".realm")
        try Data(builder.file()).write(to: url)
        return url
    }

    /// It threw `superseded` at once. What a salvage has left out is reported once.
    @Test func anImportThatIsSupersededReadsTheFileAgain() async throws {
        let engine = MemorySharedLog.Engine()
        let file = try Self.damagedFile()
        defer { try? FileManager.default.removeItem(at: file) }
        let alone = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Crate.self]))
        let expected = try await Realm.importRealmFile(at: file, into: alone, salvage: true)
        #expect(expected.damageCount > 0)
        try await alone.close()
        try await withStorePath { path in
            let first = try await Realm.open(
                configuration(path + "-1", engine, [Crate.self], timeout: nil))
            let second = try await Realm.open(
                configuration(path + "-2", engine, [Crate.self], timeout: nil))
            let isFirst = Mutex(true)
            let report = try await Realm.importRealmFile(at: file, into: first, salvage: true) {
                _ in
                let isDue = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isDue else { return }
                let written = DispatchSemaphore(value: 0)
                Task {
                    do {
                        try await second.write { tx in
                            _ = try tx.create(Crate.self, value: ["number": 7])
                        }
                    } catch {
                        Issue.record(error)
                    }
                    written.signal()
                }
                written.wait()
            }
            #expect(report == expected)
            for realm in [first, second] {
                let crates = try await realm.refreshed(.toNewest).objects(Crate.self)
                #expect(crates.values(of: \.number) == [7, 1, 2])
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }
}
