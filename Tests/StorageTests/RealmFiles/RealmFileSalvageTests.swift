import StorageHarness
import Testing

@testable import Storage

/// What a salvage keeps of a damaged file, and how it counts the rest.
@Suite struct RealmFileSalvageTests {
    typealias Column = RealmFileBuilder.Column
    static let list: Int64 = 32
    static let map: Int64 = 64
    static let optional: Int64 = 16

    /// Salvages a file into a store, which is verified.
    static func salvage(
        _ builder: RealmFileBuilder,
        _ body: (WorkingTree, RealmFileChanges, RealmFileReport) throws -> Void
    ) throws {
        let file = try RealmFileReading.open(builder.file(), salvage: true)
        try convert(file, isSalvage: true) { (tree, changes) throws in
            try body(tree, changes, file.report)
        }
    }

    /// Imports a file into a store, which is verified.
    static func convert(
        _ file: RealmFile, isSalvage: Bool = false,
        _ body: (WorkingTree, RealmFileChanges) throws -> Void
    ) throws {
        let (opened, changes) = try RealmFileConversionTests.convert(file, isSalvage: isSalvage)
        let outcome = try TransactionEngine(opened).verify(ReadingMonitor())
        #expect(outcome.problems.isEmpty, "\(outcome.problems.prefix(3))")
        try body(opened.tree, changes)
        try opened.log.close()
    }

    /// A column of links to the objects of a table.
    static func links(_ name: String, to target: Int64 = 0, _ leaf: Int64) -> Column {
        Column(name, type: 12, attributes: optional, target: target, leaf: leaf)
    }

    /// The contents of a column for all rows of a class.
    static func contents(
        _ tree: WorkingTree, _ name: String, _ column: String
    ) throws -> [ColumnContents] {
        let id = try #require(tree.schema.classID(named: name))
        let place = try #require(tree.schema[id].column(named: column))
        var rows: [RowKey] = []
        tree.forEachCluster(id) { rows += $0 }
        return rows.map { tree.contents(id, $0, place, tree.schema[id].columns[place.rawValue]) }
    }

    static func expectRefusal(
        _ builder: RealmFileBuilder, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: RealmFileError.self, sourceLocation: sourceLocation) {
            try RealmFileConversionTests.convert(RealmFileReading.open(builder.file()))
        }
    }

    // MARK: Objects

    /// It was counted once for the keys of the objects, and again for their values.
    @Test func damageIsReportedOnce() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([1])
        let cluster = builder.refs([RealmFileBuilder.tagged(1), number])
        // The second node is one of integers.
        let root = builder.tree(of: [cluster, number], total: 2)
        builder.table("class_A", root: root, [Column("n", type: 0, leaf: 0)])
        try Self.salvage(builder) { (tree, _, report) throws in
            #expect(tree.count(ClassID(0)) == 1)
            #expect(report.count == 1 && report.damages.map(\.offset) == [Int(number)])
        }
    }

    /// A list that refers to its parts repeatedly exhausted the limit of bytes read, also for
    /// determining which objects exist: later objects were lost, and links referred to their
    /// positions.
    @Test func anEndlessListDoesNotAffectOtherObjects() throws {
        var builder = RealmFileBuilder()
        var list = builder.integers([1])
        var total: Int64 = 1
        for _ in 0..<6 {
            let head = RealmFileBuilder.tagged(total)
            total *= 100
            let parts = [Int64](repeating: list, count: 100)
            list = builder.refs([head] + parts + [RealmFileBuilder.tagged(total)], flags: 0x80)
        }
        let lists = [builder.refs([list]), builder.refs([0])]
        let clusters = lists.map { builder.refs([RealmFileBuilder.tagged(1), $0]) }
        let root = builder.tree(of: clusters, total: 2)
        let links = builder.integers([2])
        builder.table(
            "class_A", root: root, [Column("list", type: 0, attributes: Self.list, leaf: 0)])
        builder.table("class_B", count: 1, [Self.links("a", links)])
        try Self.salvage(builder) { (tree, changes, report) throws in
            #expect(tree.count(ClassID(0)) == 2 && report.count > 0 && changes.droppedLinks == 0)
            #expect(try Self.contents(tree, "B", "a") == [.value(.link(RowKey(1)))])
        }
    }

    /// The sum of the counts overflowed an integer, and the program ended.
    @Test func countsBeyondAllIntegersAreDamage() throws {
        var builder = RealmFileBuilder()
        for name in ["class_A", "class_B"] {
            let number = builder.integers([1])
            let cluster = builder.refs([RealmFileBuilder.tagged(1), number])
            let root = builder.tree(of: [cluster], total: 1 << 62)
            builder.table(name, root: root, [Column("n", type: 0, leaf: 0)])
        }
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, _, report) throws in
            #expect(tree.count(ClassID(0)) == 1 && tree.count(ClassID(1)) == 1)
            #expect(report.count == 2)
        }
    }

    // MARK: Primary keys

    /// All of them got the key of a new object, and all except one were removed as its duplicates.
    @Test func objectsWithoutAReadablePrimaryKeyAreLeftOut() throws {
        var builder = RealmFileBuilder()
        let texts = ["a", "c"].map { builder.blob(Array($0.utf8) + [0]) }
        let keys = builder.refs([texts[0], 1 << 40, texts[1]], flags: 0x20)
        builder.table("class_A", count: 3, primaryKey: 0, [Column("id", type: 2, leaf: keys)])
        let links = builder.integers([1, 2, 3])
        builder.table("class_B", count: 3, [Self.links("a", links)])
        // It has three values for two objects.
        let numbers = builder.integers([1, 2, 3])
        builder.table("class_C", count: 2, primaryKey: 0, [Column("id", type: 0, leaf: numbers)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, changes, report) throws in
            #expect(
                try Self.contents(tree, "A", "id")
                    == [.value(.string("a")), .value(.string("c"))])
            #expect(tree.count(ClassID(2)) == 0)
            #expect(changes.droppedUnkeyed == 3 && changes.droppedDuplicates == 0)
            #expect(changes.droppedLinks == 1 && report.count == 2)
        }
    }

    /// Links to the removed duplicate were not counted.
    @Test func linksToDuplicatesAreCounted() throws {
        var builder = RealmFileBuilder()
        let keys = builder.integers([5, 5, 7])
        builder.table("class_A", count: 3, primaryKey: 0, [Column("id", type: 0, leaf: keys)])
        let links = builder.integers([1, 2, 2, 3])
        builder.table("class_B", count: 4, [Self.links("a", links)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, changes, _) throws in
            #expect(try Self.contents(tree, "A", "id") == [.value(.int(5)), .value(.int(7))])
            #expect(changes.droppedDuplicates == 1 && changes.droppedLinks == 2)
        }
    }

    /// The log of a realm that had imported such a class could not be read.
    @Test func anInvalidPrimaryKeyIsDamage() throws {
        var builder = RealmFileBuilder()
        let numbers = builder.integers([1, 2])
        let bits = builder.node(widthType: 1, width: 8, count: 2, [UInt8](repeating: 0, count: 16))
        let lists = builder.refs([0, 0])
        let columns = [
            Column("n", type: 0, leaf: numbers), Column("d", type: 10, leaf: bits),
            Column("l", type: 0, attributes: Self.list, leaf: lists),
        ]
        for key in [1, 2] {
            var builder = builder
            builder.table("class_A", count: 2, primaryKey: key, columns)
            Self.expectRefusal(builder)
            try Self.salvage(builder) { (tree, _, report) throws in
                #expect(tree.schema[ClassID(0)].primaryKey == nil && report.count == 1)
                #expect(try Self.contents(tree, "A", "n") == [.value(.int(1)), .value(.int(2))])
            }
        }
    }

    // MARK: Classes

    /// No part of such a file could be imported.
    @Test func linksToAClassThatCannotBeReadAreLeftOut() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([7])
        // The node replaces a cluster.
        builder.table("class_A", root: number, [Column("n", type: 0, leaf: 0)])
        let composites = builder.integers([17])
        let mixed = builder.refs([composites, 0, builder.integers([0, 0]), 0, 0])
        builder.table(
            "class_B", count: 1,
            [
                Column("n", type: 0, leaf: number),
                Self.links("a", number),
                Column("any", type: 6, attributes: Self.optional, leaf: mixed),
            ])
        try Self.salvage(builder) { (tree, changes, report) throws in
            #expect(tree.schema.classes.map(\.name) == ["B"])
            #expect(tree.schema[ClassID(0)].columns.map(\.name) == ["n", "any"])
            #expect(try Self.contents(tree, "B", "n") == [.value(.int(7))])
            #expect(report.damages.map(\.className) == ["A", "B"])
            #expect(report.damages.map(\.property) == [nil, "a"])
            #expect(changes.droppedLinks == 1)
        }
    }

    /// Values of any type with such links became nil in any import.
    @Test func linksToATableThatIsNoClassAreCounted() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([7])
        builder.table("pk", count: 1, [Column("n", type: 0, leaf: number)])
        let (composites, pairs) = (builder.integers([17]), builder.integers([0, 0]))
        let mixed = builder.refs([composites, 0, pairs, 0, 0])
        builder.table(
            "class_B", count: 1, [Column("any", type: 6, attributes: Self.optional, leaf: mixed)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, changes, _) throws in
            #expect(try Self.contents(tree, "B", "any") == [.value(.null)])
            #expect(changes.droppedLinks == 1)
        }
    }

    /// A link to such a table prevented the import of everything else.
    @Test func aColumnOfLinksToNoClassIsLeftOut() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([1])
        builder.table("pk", count: 1, [Column("n", type: 0, leaf: number)])
        builder.table(
            "class_B", count: 1,
            [Column("n", type: 0, leaf: number), Self.links("a", number)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, _, report) throws in
            #expect(try Self.contents(tree, "B", "n") == [.value(.int(1))])
            #expect(report.damages.map(\.property) == ["a"])
        }
    }

    @Test func aColumnWithoutANameIsLeftOut() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([7])
        builder.table(
            "class_A", count: 1,
            [Column("", type: 0, leaf: number), Column("n", type: 0, leaf: number)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, _, report) throws in
            #expect(try Self.contents(tree, "A", "n") == [.value(.int(7))])
            #expect(report.count == 1)
        }
    }
}
