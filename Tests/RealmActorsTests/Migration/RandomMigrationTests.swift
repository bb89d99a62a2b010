import Foundation
import RealmActors
import StorageHarness
import Testing

private enum First {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var a: Int
        @Persisted(indexed: true) var b: Int
        @Persisted var c: String
        @Persisted var d: Int?
    }
}
private enum Second {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var a: Int
        @Persisted var b: Int
        @Persisted(indexed: true) var c: String
        @Persisted var d: Int?
    }
}
private enum Third {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var a: String
        @Persisted var b: Int8
        @Persisted(indexed: true) var c: Int
        @Persisted var d: Int?
    }
}
private enum Fourth {
    final class Item: Object {
        @Persisted var f: Int8
        @Persisted var e: Int
        @Persisted(primaryKey: true) var id: Int
        @Persisted var c: String?
        @Persisted var b: Int
    }
}
private enum Fifth {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var a: Int?
        @Persisted(indexed: true) var b: String
        @Persisted var e: String
        @Persisted var f: Int
    }
}

/// Random renames, swaps, chains, retypes and narrowings, declared early or late, against the
/// values of a model in memory.
@Suite struct RandomMigrationTests {
    /// What a property is, as the model sees it.
    struct Kind: Equatable {
        var isText = false
        var isOptional = false
        var bounds = Int.min...Int.max

        static let int = Kind()
        static let optional = Kind(isOptional: true)
        static let small = Kind(bounds: -128...127)
        static let text = Kind(isText: true)
        static let optionalText = Kind(isText: true, isOptional: true)

        var initial: FrozenValue { isOptional ? .none : isText ? .string("") : .int(0) }

        /// Whether values of another are kept.
        func takes(_ other: Kind) -> Bool {
            isText == other.isText && (isOptional || !other.isOptional)
        }
    }

    struct Shape: Sendable {
        let type: ObjectBase.Type
        let kinds: [String: Kind]
    }

    typealias Rows = [[String: FrozenValue]]

    static let shapes = [
        Shape(
            type: First.Item.self, kinds: ["a": .int, "b": .int, "c": .text, "d": .optional]),
        Shape(
            type: Second.Item.self, kinds: ["a": .int, "b": .int, "c": .text, "d": .optional]),
        Shape(
            type: Third.Item.self, kinds: ["a": .text, "b": .small, "c": .int, "d": .optional]),
        Shape(
            type: Fourth.Item.self,
            kinds: ["b": .int, "c": .optionalText, "e": .int, "f": .small]),
        Shape(
            type: Fifth.Item.self,
            kinds: ["a": .optional, "b": .text, "e": .text, "f": .int]),
    ]

    /// What a migration comes to; nil when it must be refused.
    private static func expected(
        _ rows: Rows, _ old: Shape, _ new: Shape, _ calls: [(String, String)]
    ) -> Rows? {
        var mapping: [String: String] = [:]
        for (from, to) in calls {
            let source: String
            if old.kinds[from] != nil, mapping[from] == nil {
                source = from
            } else if mapping.values.count(where: { $0 == from }) == 1,
                let known = mapping.first(where: { $0.value == from })
            {
                source = known.key
            } else {
                return nil
            }
            mapping[source] = to
            guard let was = old.kinds[source] else { return nil }
            if let kind = new.kinds[to], !kind.takes(was) { return nil }
        }
        for (source, target) in mapping {
            if new.kinds[target] == nil { return nil }
            if mapping.values.count(where: { $0 == target }) > 1 { return nil }
            if source != target, old.kinds[target] != nil, mapping[target] == nil { return nil }
        }
        var result: Rows = []
        for row in rows {
            var made: [String: FrozenValue] = [:]
            for (name, kind) in new.kinds {
                let renamed = mapping.first { $0.value == name }?.key
                let source = renamed ?? (mapping[name] == nil ? name : nil)
                made[name] = kind.initial
                guard let source, let was = old.kinds[source], kind.takes(was),
                    let value = row[source]
                else { continue }
                if case .int(let number) = value, !kind.bounds.contains(number) { return nil }
                made[name] = value
            }
            result.append(made)
        }
        return result
    }

    private static func rows(_ realm: Realm, _ shape: Shape) throws -> Rows {
        try realm.dynamicObjects("Item").map { object in
            var row: [String: FrozenValue] = [:]
            for name in shape.kinds.keys { row[name] = try object[name] }
            return row
        }
    }

    private static func value(
        _ kind: Kind, _ random: inout SeededGenerator
    ) -> Any {
        if kind.isOptional, Bool.random(using: &random) { return NSNull() }
        let number = Int.random(in: -100...100, using: &random)
        if kind.isText { return "t\(number)" }
        let isLarge = kind.bounds.contains(300) && Int.random(in: 0..<400, using: &random) == 0
        return isLarge ? 300 : number
    }

    private static func fill(
        _ path: String, _ shape: Shape, _ random: inout SeededGenerator
    ) async throws -> Rows {
        let realm = try await Realm.open(.init(path: path, objectTypes: [shape.type]))
        var values: [[String: Any]] = []
        for id in 0..<Int.random(in: 1...40, using: &random) {
            var row: [String: Any] = ["id": id]
            for name in shape.kinds.keys.sorted() {
                row[name] = Self.value(shape.kinds[name] ?? .int, &random)
            }
            values.append(row)
        }
        let given = values
        try await realm.write { tx in
            for row in given { try tx.dynamicCreate("Item", value: row) }
        }
        let rows = try rows(realm, shape)
        try await realm.close()
        return rows
    }

    /// A few renames: some of a permutation, some of names that lead nowhere.
    private static func calls(
        _ old: Shape, _ new: Shape, _ random: inout SeededGenerator
    ) -> [(String, String)] {
        var calls: [(String, String)] = []
        let (from, to) = (old.kinds.keys.sorted(), new.kinds.keys.sorted() + ["interim"])
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let a = from.randomElement(using: &random),
                let b = to.randomElement(using: &random)
            else { continue }
            if Int.random(in: 0..<3, using: &random) == 0 {
                calls += [(a, "interim"), ("interim", b)]
            } else if Int.random(in: 0..<2, using: &random) == 0 {
                calls += [(a, b), (b, a)]
            } else {
                calls.append((a, b))
            }
        }
        return calls
    }

    @Test func renamesAndRetypesAgreeWithAModelInMemory() async throws {
        var random = SeededGenerator()
        var (done, refused) = (0, 0)
        for round in 0..<50 {
            let note = Comment(rawValue: "SEED=\(random.seed), round \(round)")
            guard let old = Self.shapes.randomElement(using: &random),
                let new = Self.shapes.randomElement(using: &random)
            else { return }
            let calls = Self.calls(old, new, &random)
            let isLate = Bool.random(using: &random)
            try await withStorePath { path in
                let rows = try await Self.fill(path, old, &random)
                let expected = Self.expected(rows, old, new, calls)
                var configuration = Realm.Configuration(
                    path: path, objectTypes: [new.type], schemaVersion: 1)
                configuration.migration = { migration, _ in
                    if isLate { try migration.enumerateObjects(ofType: "Item") { _, _ in } }
                    for (from, to) in calls {
                        try migration.renameProperty(onType: "Item", from: from, to: to)
                    }
                }
                do {
                    let realm = try await Realm.open(configuration)
                    #expect(try Self.rows(realm, new) == expected, note)
                    #expect(try await realm.verify().isIntact, note)
                    try await realm.close()
                    done += 1
                } catch let error as RealmError {
                    #expect(expected == nil, "\(note): \(error)")
                    let realm = try await Realm.open(.init(path: path, objectTypes: [old.type]))
                    #expect(try Self.rows(realm, old) == rows, note)
                    try await realm.close()
                    refused += 1
                }
            }
        }
        #expect(done > 3 && refused > 3)
    }
}
