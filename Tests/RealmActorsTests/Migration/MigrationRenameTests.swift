import Foundation
import RealmActors
import Testing

/// A store with two texts and two numbers, and what becomes of their names.
private enum Names {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var first: String
        @Persisted var second: String
        @Persisted var size: Int
        @Persisted var next: Item?
        @Persisted var list: List<Int>
    }
}
private enum Reused {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var first: String = "fresh"
        @Persisted var third: String
        @Persisted var second: String
        @Persisted var size: Int
        @Persisted var next: Item?
        @Persisted var before: Item?
        @Persisted var list: List<Int>
        @Persisted var oldList: List<Int>
    }
}
private enum Joined {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var second: String
        @Persisted var size: Int
    }
}

private enum Measured {
    final class Gauge: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Double
        @Persisted var sizes: List<Double>
    }
}
private enum Remeasured {
    final class Gauge: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Double?
        @Persisted var height: Double?
        @Persisted var sizes: List<Double?>
        @Persisted var heights: List<Double?>
    }
}

/// Every kind of link to an object that is deleted before its property gets another name.
private enum Holding {
    final class Toy: Object {
        @Persisted var name: String
    }
    final class Child: Object {
        @Persisted var one: Toy?
        @Persisted var many: List<Toy>
        @Persisted var group: MutableSet<Toy>
        @Persisted var named: Map<String, Toy?>
        @Persisted var extra: AnyRealmValue
        @Persisted var extras: List<AnyRealmValue>
    }
}
private enum Held {
    final class Child: Object {
        @Persisted var first: Holding.Toy?
        @Persisted var toys: List<Holding.Toy>
        @Persisted var others: MutableSet<Holding.Toy>
        @Persisted var byName: Map<String, Holding.Toy?>
        @Persisted var value: AnyRealmValue
        @Persisted var values: List<AnyRealmValue>
    }
}

/// All renames of a migration are one mapping. Two of them that swapped names lost the values of
/// one silently, and a new property with the name of a renamed one trapped at every opening.
@Suite struct MigrationRenameTests {
    typealias Body = @Sendable (Migration) throws -> Void

    /// When the renames are declared: before anything else, after objects were read, or in both
    /// places.
    enum Moment: CaseIterable { case early, late }

    private static let count = 300

    private func withItems(_ body: (String) async throws -> Void) async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [Names.Item.self]))
            try await realm.write { tx in
                var last: Names.Item?
                for id in 0..<Self.count {
                    last = try tx.create(
                        Names.Item.self,
                        value: [
                            "id": id, "first": "f\(id)", "second": "s\(id)", "size": id,
                            "next": last as Any, "list": [id, id + 1],
                        ])
                }
            }
            try await realm.close()
            try await body(path)
        }
    }

    private func open(
        _ path: String, _ types: [ObjectBase.Type], _ moment: Moment = .early,
        _ body: @escaping Body
    ) async throws -> Realm {
        var configuration = Realm.Configuration(path: path, objectTypes: types, schemaVersion: 1)
        configuration.migration = { migration, _ in
            if moment == .late { try migration.enumerateObjects(ofType: "Item") { _, _ in } }
            try body(migration)
        }
        return try await Realm.open(configuration)
    }

    private func expectUntouched(_ path: String) async throws {
        let realm = try await Realm.open(.init(path: path, objectTypes: [Names.Item.self]))
        let items = realm.objects(Names.Item.self)
        #expect(items.count == Self.count)
        #expect(items.enumerated().allSatisfy { $1.first == "f\($0)" && $1.second == "s\($0)" })
        #expect(try await realm.verify().isIntact)
        try await realm.close()
    }

    @Test("Two properties swap their names", arguments: Moment.allCases, [false, true])
    func swap(_ moment: Moment, isReversed: Bool) async throws {
        try await withItems { path in
            let realm = try await open(path, [Names.Item.self], moment) { migration in
                let names = isReversed ? ["second", "first"] : ["first", "second"]
                try migration.renameProperty(onType: "Item", from: names[0], to: names[1])
                try migration.renameProperty(onType: "Item", from: names[1], to: names[0])
                try migration.enumerateObjects(ofType: "Item") { old, new in
                    #expect(old?["first"] as? String == new?["second"] as? String)
                    #expect(old?["second"] as? String == new?["first"] as? String)
                }
            }
            let items = realm.objects(Names.Item.self)
            #expect(items.enumerated().allSatisfy { $1.first == "s\($0)" && $1.second == "f\($0)" })
            #expect(items.where { $0.first == "s7" }.map(\.id) == [7])
            #expect(items.enumerated().allSatisfy { $1.size == $0 && $1.list.count == 2 })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("By way of a third name, too", arguments: Moment.allCases)
    func swapByAThird(_ moment: Moment) async throws {
        try await withItems { path in
            let realm = try await open(path, [Names.Item.self], moment) { migration in
                try migration.renameProperty(onType: "Item", from: "first", to: "interim")
                try migration.renameProperty(onType: "Item", from: "second", to: "first")
                try migration.renameProperty(onType: "Item", from: "interim", to: "second")
            }
            let items = realm.objects(Names.Item.self)
            #expect(items.enumerated().allSatisfy { $1.first == "s\($0)" && $1.second == "f\($0)" })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("A new property may have the name of a renamed one", arguments: Moment.allCases)
    func reused(_ moment: Moment) async throws {
        try await withItems { path in
            let realm = try await open(path, [Reused.Item.self], moment) { migration in
                for (old, new) in [("first", "third"), ("next", "before"), ("list", "oldList")] {
                    try migration.renameProperty(onType: "Item", from: old, to: new)
                }
            }
            for (id, item) in realm.objects(Reused.Item.self).enumerated() {
                #expect(item.first == "fresh" && item.third == "f\(id)" && item.second == "s\(id)")
                #expect(item.next == nil && item.before?.id == (id == 0 ? nil : id - 1))
                #expect(item.list.isEmpty && Array(item.oldList) == [id, id + 1])
            }
            #expect(realm.objects(Reused.Item.self).where { $0.first == "fresh" }.count == 300)
            let report = try await realm.verify()
            #expect(report.isIntact, "\(report)")
            try await realm.close()
        }
    }

    @Test("Onto a property that would be lost is refused", arguments: Moment.allCases)
    func onto(_ moment: Moment) async throws {
        try await withItems { path in
            let error = await #expect(throws: RealmError.self) {
                try await open(path, [Joined.Item.self], moment) { migration in
                    try migration.renameProperty(onType: "Item", from: "first", to: "second")
                }
            }
            #expect(error?.description.contains("a property 'second' too") == true)
            try await expectUntouched(path)
            // What was meant can be said.
            let realm = try await open(path, [Joined.Item.self], moment) { migration in
                try migration.enumerateObjects(ofType: "Item") { old, new in
                    new?["second"] = old?["first"]
                }
            }
            let items = realm.objects(Joined.Item.self)
            #expect(items.enumerated().allSatisfy { $1.second == "f\($0)" })
            try await realm.close()
        }
    }

    @Test("Two properties to one name, and one to two, are refused", arguments: Moment.allCases)
    func ambiguous(_ moment: Moment) async throws {
        let wrong: [[(String, String)]] = [
            [("first", "third"), ("second", "third")], [("first", "third"), ("first", "second")],
            [("first", "nowhere")],
        ]
        try await withItems { path in
            for renames in wrong {
                let error = await #expect(throws: RealmError.self) {
                    try await open(path, [Reused.Item.self], moment) { migration in
                        for (old, new) in renames {
                            try migration.renameProperty(onType: "Item", from: old, to: new)
                        }
                    }
                }
                guard case .invalidKeyPath = error else {
                    Issue.record("\(renames): \(String(describing: error))")
                    continue
                }
            }
            try await expectUntouched(path)
        }
    }

    @Test("Values that were changed under a name that stays do not move")
    func changedBefore() async throws {
        try await withItems { path in
            let error = await #expect(throws: RealmError.self) {
                try await open(path, [Reused.Item.self]) { migration in
                    try migration.enumerateObjects(ofType: "Item") { _, new in
                        new?["first"] = "changed"
                    }
                    try migration.renameProperty(onType: "Item", from: "first", to: "third")
                }
            }
            #expect(error?.description.contains("Call renameProperty before") == true)
            try await expectUntouched(path)
        }
    }

    /// The copy of a late rename overwrote objects that the migration had made, with nothing.
    @Test func objectsThatTheMigrationMadeKeepTheirValues() async throws {
        enum Renamed {
            final class Item: Object {
                @Persisted(primaryKey: true) var id: Int
                @Persisted var third: String
            }
        }
        try await withItems { path in
            let realm = try await open(path, [Renamed.Item.self]) { migration in
                try migration.create("Item", value: ["id": 1000, "third": "made"])
                try migration.renameProperty(onType: "Item", from: "first", to: "third")
            }
            #expect(realm.object(Renamed.Item.self, forPrimaryKey: 1000)?.third == "made")
            #expect(realm.object(Renamed.Item.self, forPrimaryKey: 3)?.third == "f3")
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Was refused, as if the migration had changed it: it does not equal itself.
    @Test func whatIsNoNumberMovesByALateRename() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(.init(path: path, objectTypes: [Measured.Gauge.self]))
            try await old.write { tx in
                for (id, size) in [Double.nan, 1.5].enumerated() {
                    let values: [String: Any] = ["id": id, "size": size, "sizes": [size]]
                    try tx.create(Measured.Gauge.self, value: values)
                }
            }
            try await old.close()
            let realm = try await open(path, [Remeasured.Gauge.self]) { migration in
                try migration.enumerateObjects(ofType: "Gauge") { _, _ in }
                try migration.renameProperty(onType: "Gauge", from: "size", to: "height")
                try migration.renameProperty(onType: "Gauge", from: "sizes", to: "heights")
            }
            let gauges = realm.objects(Remeasured.Gauge.self)
            #expect(gauges.map { $0.height?.isNaN } == [true, false])
            #expect(gauges.map { $0.heights.map { $0?.isNaN } } == [[true], [false]])
            #expect(gauges.allSatisfy { $0.size == nil && $0.sizes.isEmpty })
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Links to it came along, and led to an object that is not there.
    @Test func nothingLinksToWhatWasDeletedBeforeALateRename() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Holding.Child.self, Holding.Toy.self]))
            try await old.write { tx in
                let deleted = try tx.create(Holding.Toy.self, value: ["name": "gone"])
                let kept = try tx.create(Holding.Toy.self, value: ["name": "kept"])
                for toys in [[deleted, kept], [kept, deleted]] {
                    let child = try tx.create(Holding.Child.self)
                    child.one = toys[0]
                    child.many.append(objectsIn: toys)
                    child.group.insert(objectsIn: toys)
                    child.named["a"] = toys[0]
                    child.named["b"] = toys[1]
                    child.extra = .object(toys[0])
                    child.extras.append(objectsIn: toys.map { AnyRealmValue.object($0) })
                }
            }
            try await old.close()
            let realm = try await open(path, [Held.Child.self, Holding.Toy.self]) { migration in
                try migration.enumerateObjects(ofType: "Toy") { old, new in
                    if old?["name"] as? String == "gone", let new { try migration.delete(new) }
                }
                let names = [
                    ("one", "first"), ("many", "toys"), ("group", "others"), ("named", "byName"),
                    ("extra", "value"), ("extras", "values"),
                ]
                for (old, new) in names {
                    try migration.renameProperty(onType: "Child", from: old, to: new)
                }
            }
            let children = realm.objects(Held.Child.self)
            #expect(children.map { $0.first?.name } == [nil, "kept"])
            #expect(children.map { $0.toys.map(\.name) } == [["kept"], ["kept"]])
            #expect(children.map { $0.others.count } == [1, 1])
            #expect(children.map { $0.byName.count } == [2, 2])
            #expect(children.map { $0.values.count } == [2, 2])
            let dynamic = try realm.dynamicObjects("Child")
            #expect(try dynamic.map { try $0["value"] == FrozenValue.none } == [true, false])
            let report = try await realm.verify()
            #expect(report.isIntact, "\(report)")
            try await realm.close()
        }
    }
}
