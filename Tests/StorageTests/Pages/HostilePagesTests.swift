import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Page files with arbitrary contents behind valid hashes.
@Suite struct HostilePagesTests {
    /// Changes bytes of nodes, and redirects slots. Everything is read in every possible way,
    /// before and after a verification, and then modified.
    @Test(arguments: 0..<6)
    func whateverIsInAFileNothingTraps(_ seed: UInt64) throws {
        let sound = try CraftedPages.sound()
        var random = SeededGenerator(seed: seed)
        for number in 0..<12 {
            var pages = sound
            for _ in 0...Int.random(in: 0..<3, using: &random) { Self.damage(&pages, &random) }
            pages.fix()
            for isWritten in [false, true] {
                let account = NodeAccount(guardsNodes: true)
                guard let snapshot = try? pages.load(account) else { continue }
                if number % 3 == 0 { _ = HostileReading.verify(snapshot) }
                if isWritten { Self.write(snapshot) }
                HostileReading.read(snapshot.view)
                if number % 3 == 1 { _ = HostileReading.verify(snapshot) }
            }
        }
    }

    private static func damage(_ pages: inout CraftedPages, _ random: inout SeededGenerator) {
        let node = pages.nodes.randomElement(using: &random) ?? 0..<1
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let targets = pages.references.filter { node.contains($0) }
            guard let target = targets.randomElement(using: &random),
                let source = pages.references.randomElement(using: &random)
            else { return }
            pages.redirect(target - 8, to: source - 8)
        case 1:
            let offset = node.lowerBound + Int.random(in: 0..<node.count / 8, using: &random) * 8
            let values: [Int] = [0, 1, -1, .max, .min, 255, 256, 1 << 32, 1 << 47]
            pages.store(values.randomElement(using: &random) ?? 0, at: offset)
        case 2:
            let offset = Int.random(in: node, using: &random)
            pages.bytes[offset] = UInt8.random(in: 0...255, using: &random)
        default:
            // Most fields that other nodes rely on are at the start of a node.
            let begin = node.prefix(64)
            let offset = Int.random(in: begin.startIndex..<begin.endIndex, using: &random)
            let bytes: [UInt8] = [0, 1, 2, 3, 4, 8, 16, 32, 64, 127, 128, 255]
            pages.bytes[offset] = bytes.randomElement(using: &random) ?? 0
        }
    }

    /// Modifies a tree in a transaction that is then rolled back.
    private static func write(_ snapshot: SnapshotRoot) {
        let tree = WorkingTree(snapshot)
        for index in tree.schema.classes.indices {
            HostileWriting.change(tree, ClassID(index))
        }
        tree.flushPending()
    }
}

/// Modifies rows of an arbitrary tree.
private enum HostileWriting {
    static func change(_ tree: WorkingTree, _ id: ClassID) {
        let items = tree.view.classView(id)
        let keys = (0..<min(items.count, 40)).map { items.key(at: $0) }
        for (position, key) in keys.enumerated() where position % 3 == 0 {
            for (column, schema) in tree.schema[id].columns.enumerated() {
                change(tree, id, key, ColumnID(column), schema)
            }
        }
        let deleted = keys.enumerated().filter { $0.offset % 4 == 1 }.map(\.element)
        tree.delete(id, Array(Set(deleted)).sorted())
        let added = tree.createRow(id)
        for (column, schema) in tree.schema[id].columns.enumerated() {
            change(tree, id, added, ColumnID(column), schema)
        }
    }

    private static func change(
        _ tree: WorkingTree, _ id: ClassID, _ key: RowKey, _ column: ColumnID,
        _ schema: ColumnSchema
    ) {
        let value: StoredValue
        switch schema.kind {
        case .bool: value = .bool(true)
        case .int: value = .int(-5)
        case .float: value = .float(1.5)
        case .double: value = .double(2.5)
        case .string: value = .string("changed to something that is longer")
        case .data: value = .data(Data([1, 2, 3]))
        case .date: value = .date(3)
        case .uuid: value = .uuid(UUID(uuid: (9, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)))
        case .objectID: value = .objectID(ObjectIDBits(high: 1, low: 2))
        case .decimal: value = .decimal(.zero)
        case .link: value = .link(RowKey(0))
        case .mixed: value = .string("mixed")
        }
        switch schema.container {
        case .none: if schema.kind != .link { tree.set(value, id, key, column) }
        case .list:
            tree.listInsert(value, at: 0, id, key, column)
            tree.listSet(value, at: 0, id, key, column)
        case .set:
            _ = tree.setInsert(value, id, key, column)
            _ = tree.setRemove(value, id, key, column)
        case .map:
            tree.mapSet(value, forKey: "z", id, key, column)
            _ = tree.mapRemove(forKey: "a", id, key, column)
        }
    }
}
