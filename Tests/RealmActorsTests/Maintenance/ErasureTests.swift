import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

private final class PrivateLetter: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted(indexed: true) var short = ""
    @Persisted var middle: String?
    @Persisted var long = Data()
    @Persisted var mixed: AnyRealmValue
    @Persisted var lines: List<String>
    @Persisted var names: Map<String, String>
}

/// Deleted texts were found in the files after `compact()`, and in copies: under the bits of
/// deleted rows, in the heaps of chunks, in branches of indexes, in the log.
@Suite struct ErasureTests {
    private static let secret = "S3CR3T"

    private static func write(_ letter: PrivateLetter, _ text: String) {
        letter.short = "\(text)\(letter.number)"
        letter.middle = "a text that takes the heap of its chunk: \(text) \(letter.number)"
        letter.long = Data(String(repeating: "\(text) ", count: 60 + letter.number % 50).utf8)
        letter.mixed = .string("mixed and long enough \(text)")
        letter.lines.removeAll()
        for line in 0..<3 { letter.lines.append("line \(line) of \(text) in a list") }
        letter.names.removeAll()
        letter.names["key \(text) \(letter.number)"] = "value \(text)"
    }

    private static func fill(_ realm: Realm, count: Int, secretFrom first: Int) async throws {
        for begin in stride(from: 0, to: count, by: 256) {
            try await realm.write { tx in
                for number in begin..<min(begin + 256, count) {
                    let letter = try tx.create(PrivateLetter.self, value: ["number": number])
                    write(letter, number < first ? "kept" : secret)
                }
            }
        }
    }

    /// The files below `folder` that hold the secret, in either order of its bytes: an index keeps
    /// the beginnings of texts as numbers.
    private static func traces(in folder: String) throws -> [String] {
        let needles = [Data(secret.utf8), Data(secret.utf8.reversed())]
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        #expect(!names.isEmpty)
        return names.filter { name in
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else {
                return false
            }
            return needles.contains { bytes.range(of: $0) != nil }
        }
    }

    @Test("D29: nothing that was deleted is found after compaction", arguments: [0, 1, 10, 300])
    func nothingThatWasDeletedIsFoundAfterCompaction(_ kept: Int) async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [PrivateLetter.self]))
            try await Self.fill(realm, count: 1280, secretFrom: kept)
            #expect(try !Self.traces(in: path).isEmpty)
            try await realm.write { tx in
                try tx.delete(tx.objects(PrivateLetter.self).where { $0.number >= kept })
            }
            try await realm.compact()
            #expect(try Self.traces(in: path) == [])
            #expect(realm.objects(PrivateLetter.self).count == kept)
            #expect(try await realm.verify().problems.isEmpty)
            try await realm.write { tx in
                Self.write(try tx.create(PrivateLetter.self, value: ["number": 5000]), "kept")
            }
            try await realm.close()
            #expect(try Self.traces(in: path) == [])
            let again = try await Realm.open(.init(path: path, objectTypes: [PrivateLetter.self]))
            #expect(again.objects(PrivateLetter.self).count == kept + 1)
            #expect(try await again.verify().problems.isEmpty)
            try await again.close()
        }
    }

    @Test("D29: nothing that was deleted is found in a copy", arguments: [0, 1, 10, 300])
    func nothingThatWasDeletedIsFoundInACopy(_ kept: Int) async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [PrivateLetter.self]))
            try await Self.fill(realm, count: 1280, secretFrom: kept)
            try await realm.write { tx in
                try tx.delete(tx.objects(PrivateLetter.self).where { $0.number >= kept })
            }
            let copy = path + ".copy"
            try await realm.writeCopy(to: copy)
            try await realm.close()
            #expect(try Self.traces(in: copy) == [])
            let copied = try await Realm.open(.init(path: copy, objectTypes: [PrivateLetter.self]))
            #expect(copied.objects(PrivateLetter.self).count == kept)
            #expect(try await copied.verify().problems.isEmpty)
            try await copied.close()
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    /// Values that were replaced, set to nil or taken out of lists and maps, in objects that stay.
    @Test func nothingThatWasReplacedIsFoundAfterCompaction() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [PrivateLetter.self]))
            try await Self.fill(realm, count: 600, secretFrom: 0)
            try await realm.write { tx in
                for letter in tx.objects(PrivateLetter.self) {
                    Self.write(letter, "kept")
                    if letter.number % 3 == 0 { letter.middle = nil }
                }
            }
            try await realm.compact()
            #expect(try Self.traces(in: path) == [])
            #expect(try await realm.verify().problems.isEmpty)
            let copy = path + ".copy"
            try await realm.writeCopy(to: copy)
            #expect(try Self.traces(in: copy) == [])
            try FileManager.default.removeItem(atPath: copy)
            try await realm.close()
        }
    }

    /// A compaction that a reopening interrupted continued in the closed store, did nothing, and
    /// reported success.
    @Test func aCompactionThatAReopeningComesBetweenErasesToo() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [PrivateLetter.self]))
            try await Self.fill(realm, count: 1280, secretFrom: 300)
            try await realm.write { tx in
                try tx.delete(tx.objects(PrivateLetter.self).where { $0.number >= 300 })
            }
            let reopening = Mutex<Task<Void, any Error>?>(nil)
            try await realm.compact { _ in
                // The compaction has the write turn here; the reopening is the next to have it.
                let isFirst = reopening.withLock { task in
                    guard task == nil else { return false }
                    task = Task { try await realm.reopen() }
                    return true
                }
                if isFirst { Thread.sleep(forTimeInterval: 0.2) }
            }
            try await reopening.withLock { $0 }?.value
            #expect(try Self.traces(in: path) == [])
            #expect(realm.objects(PrivateLetter.self).count == 300)
            #expect(try await realm.verify().problems.isEmpty)
            try await realm.close()
        }
    }
}
