import Foundation
import RealmActors
import Testing

private final class Note: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var text = ""
}

/// What stores of a few objects take on the disk.
@Suite struct StoreSizeTests {
    private static let most = 128 << 10

    /// The blocks of all that is in the folder, and of the folders.
    private static func blocks(_ path: String) -> Int {
        let names = FileManager.default.enumerator(atPath: path)?.allObjects ?? []
        return (names.map { "\(path)/\($0)" } + [path]).reduce(0) { sum, name in
            var status = stat()
            return sum + (lstat(name, &status) == 0 ? Int(status.st_blocks) * 512 : 0)
        }
    }

    private static func add(_ numbers: Range<Int>, to realm: Realm) async throws {
        try await realm.write { tx in
            for id in numbers {
                let note = Note()
                (note.id, note.text) = (id, "note \(id) " + String(repeating: "x", count: id % 90))
                try tx.add(note)
            }
        }
    }

    // One small object took 0.8 MB.
    @Test("D30: a store of one object is small")
    func aStoreOfOneObjectIsSmall() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Note.self])
            let realm = try await Realm.open(configuration)
            #expect(Self.blocks(path) <= Self.most)
            try await Self.add(0..<1, to: realm)
            #expect(Self.blocks(path) <= Self.most)
            try await realm.compact()
            #expect(Self.blocks(path) <= Self.most)
            try await realm.close()
            #expect(Self.blocks(path) <= Self.most)
        }
    }

    @Test func openingAgainAndAgainTakesNoMore() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Note.self])
            for round in 0..<60 {
                let realm = try await Realm.open(configuration)
                try await realm.write { tx in
                    try tx.create(
                        Note.self, value: ["id": 0, "text": "round \(round)"], update: .modified)
                }
                try await realm.close()
                #expect(Self.blocks(path) <= Self.most, "round \(round)")
            }
        }
    }

    @Test func whatWasOnceLargeIsSmallWhenItIsCompacted() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Note.self])
            let realm = try await Realm.open(configuration)
            for round in 0..<20 {
                try await Self.add(round * 1_000..<round * 1_000 + 1_000, to: realm)
            }
            try await realm.write { tx in
                try tx.delete(tx.objects(Note.self).where { $0.id > 0 })
            }
            try await realm.compact()
            #expect(Self.blocks(path) <= Self.most)
            try await realm.close()
        }
    }

    // Compacting made a store of 7 MB one of 9.4 MB.
    @Test("D30: compacting makes no store larger", arguments: [1, 1_000, 20_000, 60_000])
    func compactingMakesNoStoreLarger(count: Int) async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Note.self])
            var realm = try await Realm.open(configuration)
            for start in stride(from: 0, to: count, by: 5_000) {
                try await Self.add(start..<min(start + 5_000, count), to: realm)
            }
            for _ in 0..<3 {
                let before = Self.blocks(path)
                try await realm.compact()
                #expect(Self.blocks(path) <= before + Self.most)
                let compacted = Self.blocks(path)
                try await realm.compact()
                #expect(Self.blocks(path) <= compacted + Self.most)
                try await realm.close()
                realm = try await Realm.open(configuration)
            }
            try await realm.close()
        }
    }
}
