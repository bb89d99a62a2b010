import StorageHarness
import Testing

@testable import Storage

/// Openings that change the schema, on a full disk.
@Suite struct FullOpeningTests {
    private static let item = EngineHarness.item

    private static func open(
        _ disk: SimulatedDisk, _ schema: StoreSchema
    ) throws -> TransactionEngine {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        let opened = try opening.open(account: NodeAccount()) { _ in schema }
        return TransactionEngine(opened)
    }

    /// The record of this schema takes several segments.
    private static let wide = StoreSchema(
        classes: EngineHarness.schema.classes
            + (0..<300).map { number in
                ClassSchema(
                    name: "One of many classes, number \(number)",
                    columns: [ColumnSchema(name: "value", kind: .int)])
            })

    /// A process was killed on a full disk, and the next one adds classes. It was refused: a
    /// checkpoint that frees space was only written after an opening.
    @Test func aSchemaThatOnlyAddsMakesRoomByACheckpoint() async throws {
        let disk = SimulatedDisk()
        do {
            let engine = try Self.open(disk, EngineHarness.schema)
            for _ in 0..<60 {
                try engine.beginBody()
                let keys = (0..<50).map { _ in engine.tree.createRow(Self.item) }
                for (number, key) in keys.enumerated() {
                    engine.tree.set(.int(Int64(number)), Self.item, key, ColumnID(0))
                    engine.tree.set(.string("text \(number)"), Self.item, key, ColumnID(2))
                }
                try await engine.end(try engine.encodeCommit(author: nil, time: 0))
                try engine.beginBody()
                engine.tree.delete(Self.item, Array(keys.dropFirst()))
                engine.tree.set(.int(Int64(-keys[0].rawValue - 1)), Self.item, keys[0], ColumnID(0))
                try await engine.end(try engine.encodeCommit(author: nil, time: 0))
            }
        }
        disk.crash(seed: 1, .everything)
        disk.limit(to: disk.usedBytes)
        let engine = try Self.open(disk, Self.wide)
        #expect(engine.latest.schema == Self.wide)
        #expect(engine.latest.view.classView(Self.item).count == 60)
        #expect(try engine.verify(ReadingMonitor()).problems == [])
        disk.crash(seed: 2, .everything)
        let again = try Self.open(disk, Self.wide)
        #expect(again.latest.schema == Self.wide)
        #expect(again.latest.view.classView(Self.item).count == 60)
    }
}
