import StorageHarness

@testable import Storage

/// A store on a simulated disk, driven as the writer drives it. Commits are appended in place, so
/// that every run of a seed is the same.
struct EngineHarness {
    static let item = ClassID(0)
    static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int),
                ColumnSchema(name: "twin", kind: .int, isIndexed: true),
                ColumnSchema(name: "text", kind: .string),
            ],
            primaryKey: ColumnID(0))
    ])

    let engine: TransactionEngine

    init(
        _ disk: SimulatedDisk, account: NodeAccount = NodeAccount(), inPlace: Bool = true,
        durability: LogDurability = .fsync
    ) throws {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        opening.options.durability = durability
        let opened = try opening.open(account: account) { _ in Self.schema }
        engine = TransactionEngine(
            tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: inPlace,
            publish: { _, makeLatest in makeLatest() })
    }

    /// One transaction of two matching rows.
    func write(_ number: Int, textLength: Int = 8) async throws {
        try engine.beginBody()
        for sign in [1, -1] {
            let key = engine.tree.createRow(Self.item)
            let value = StoredValue.int(Int64(number * sign))
            engine.tree.set(value, Self.item, key, ColumnID(0))
            engine.tree.set(.int(Int64(number)), Self.item, key, ColumnID(1))
            let text = String(repeating: "x", count: textLength)
            engine.tree.set(.string(text), Self.item, key, ColumnID(2))
        }
        let commit = try engine.encodeCommit(author: nil, time: 0)
        try await engine.end(commit)
    }

    /// The existing numbers, in order; nil if a transaction is incomplete.
    var numbers: [Int]? { Self.numbers(of: engine.latest) }

    static func numbers(of root: SnapshotRoot) -> [Int]? {
        let view = root.view.classView(item)
        var values: [Int64] = []
        for position in 0..<view.count {
            let place = view.row(at: position)
            values.append(place.cluster.int(0, place.slot))
            if place.cluster.int(1, place.slot) != abs(values[position]) { return nil }
        }
        guard values.count % 2 == 0 else { return nil }
        let pairs = stride(from: 0, to: values.count, by: 2)
        guard pairs.allSatisfy({ values[$0] == -values[$0 + 1] }) else { return nil }
        return pairs.map { Int(values[$0]) }
    }

    func close() async {
        await engine.close()
    }
}
