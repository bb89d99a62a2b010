import StorageHarness
import Testing

@testable import Storage

/// What a salvage keeps of a damaged file, and how it counts what it leaves out.
@Suite struct RealmFileSalvageTests {
    typealias Column = RealmFileBuilder.Column
    private static let list: Int64 = 32
    private static let map: Int64 = 64
    private static let optional: Int64 = 16

    /// What was made of a file in a salvage, which is whole.
    private static func salvage(
        _ builder: RealmFileBuilder,
        _ body: (WorkingTree, RealmFileChanges, RealmFileReport) throws -> Void
    ) throws {
        let file = try RealmFileReading.open(builder.file(), salvage: true)
        let (opened, changes) = try RealmFileConversionTests.convert(file, isSalvage: true)
        let outcome = try TransactionEngine(opened).verify(ReadingMonitor())
        #expect(outcome.problems.isEmpty, "\(outcome.problems.prefix(3))")
        try body(opened.tree, changes, file.report)
        try opened.log.close()
    }

    /// What the rows of a class have in a column.
    private static func contents(
        _ tree: WorkingTree, _ name: String, _ column: String
    ) throws -> [ColumnContents] {
        let id = try #require(tree.schema.classID(named: name))
        let place = try #require(tree.schema[id].column(named: column))
        var rows: [RowKey] = []
        tree.forEachCluster(id) { rows += $0 }
        return rows.map { tree.contents(id, $0, place, tree.schema[id].columns[place.rawValue]) }
    }

    private static func expectRefusal(
        _ builder: RealmFileBuilder, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: RealmFileError.self, sourceLocation: sourceLocation) {
            try RealmFileConversionTests.convert(RealmFileReading.open(builder.file()))
        }
    }

    // MARK: Objects

    /// It was counted once for the keys of the objects, and once more for their values.
    @Test func whatIsDamagedIsReportedOnce() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([1])
        let cluster = builder.refs([RealmFileBuilder.tagged(1), number])
        // The second one is a node of integers.
        let root = builder.tree(of: [cluster, number], total: 2)
        builder.table("class_A", root: root, [Column("n", type: 0, leaf: 0)])
        try Self.salvage(builder) { (tree, _, report) throws in
            #expect(tree.count(ClassID(0)) == 1)
            #expect(report.count == 1 && report.damages.map(\.offset) == [Int(number)])
        }
    }

    /// A list that refers to its parts again and again used up what may be read, also of which
    /// objects there are: those behind it were gone, and links led to where they would have been.
    @Test func aListWithoutAnEndLeavesTheOtherObjects() throws {
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
        builder.table(
            "class_B", count: 1,
            [Column("a", type: 12, attributes: Self.optional, target: 0, leaf: links)])
        try Self.salvage(builder) { (tree, changes, report) throws in
            #expect(tree.count(ClassID(0)) == 2 && report.count > 0 && changes.droppedLinks == 0)
            #expect(try Self.contents(tree, "B", "a") == [.value(.link(RowKey(1)))])
        }
    }

    /// Their sum was more than an integer holds, which stopped the program.
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

    /// All of them got the key of a new object, and all but one went as duplicates of that.
    @Test func objectsWithoutAReadablePrimaryKeyAreLeftOut() throws {
        var builder = RealmFileBuilder()
        let texts = ["a", "c"].map { builder.blob(Array($0.utf8) + [0]) }
        let keys = builder.refs([texts[0], 1 << 40, texts[1]], flags: 0x20)
        builder.table("class_A", count: 3, primaryKey: 0, [Column("id", type: 2, leaf: keys)])
        let links = builder.integers([1, 2, 3])
        builder.table(
            "class_B", count: 3,
            [Column("a", type: 12, attributes: Self.optional, target: 0, leaf: links)])
        // Of two objects, it has three.
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

    /// Links to the one that went were not counted.
    @Test func linksToDuplicatesAreCounted() throws {
        var builder = RealmFileBuilder()
        let keys = builder.integers([5, 5, 7])
        builder.table("class_A", count: 3, primaryKey: 0, [Column("id", type: 0, leaf: keys)])
        let links = builder.integers([1, 2, 2, 3])
        builder.table(
            "class_B", count: 4,
            [Column("a", type: 12, attributes: Self.optional, target: 0, leaf: links)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, changes, _) throws in
            #expect(try Self.contents(tree, "A", "id") == [.value(.int(5)), .value(.int(7))])
            #expect(changes.droppedDuplicates == 1 && changes.droppedLinks == 2)
        }
    }

    /// The log of a realm that had taken in such a class could not be read.
    @Test func aPrimaryKeyThatIsNoneIsDamage() throws {
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

    /// Nothing of such a file could be imported.
    @Test func linksToAClassThatCannotBeReadAreLeftOut() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([7])
        // In place of a cluster.
        builder.table("class_A", root: number, [Column("n", type: 0, leaf: 0)])
        let composites = builder.integers([17])
        let mixed = builder.refs([composites, 0, builder.integers([0, 0]), 0, 0])
        builder.table(
            "class_B", count: 1,
            [
                Column("n", type: 0, leaf: number),
                Column("a", type: 12, attributes: Self.optional, target: 0, leaf: number),
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

    /// Values of any type that had them became nil in any import.
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

    /// A link to such a table kept everything else from being imported.
    @Test func aColumnOfLinksToNoClassIsLeftOut() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([1])
        builder.table("pk", count: 1, [Column("n", type: 0, leaf: number)])
        builder.table(
            "class_B", count: 1,
            [
                Column("n", type: 0, leaf: number),
                Column("a", type: 12, attributes: Self.optional, target: 0, leaf: number),
            ])
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

    // MARK: Values

    /// It was said to be damage at the first byte of the file.
    @Test func aLinkThatLeadsNowhereIsToldWithItsPlace() throws {
        var builder = RealmFileBuilder()
        let links = builder.integers([9])
        // The cluster is the first that a table has.
        let cluster = Int(builder.end)
        builder.table(
            "class_A", count: 1,
            [Column("a", type: 12, attributes: Self.optional, target: 0, leaf: links)])
        let file = try RealmFileReading.open(builder.file())
        let reason = "a link leads to an object 8 that is not there"
        #expect(
            throws: RealmFileError.damaged(path: "file.realm", offset: cluster, reason: reason)
        ) { try RealmFileConversionTests.convert(file) }
    }

    /// A salvage ended with them, and links to objects of other classes became nil in any import.
    @Test func valuesOfAnotherTypeAreLeftOut() throws {
        var builder = RealmFileBuilder()
        let number = builder.integers([1])
        builder.table("class_A", count: 1, [Column("n", type: 0, leaf: number)])
        let texts = builder.strings(["x"])
        var mixed = builder.refs([builder.integers([1 | 5 << 8, 3]), 0, 0, texts])
        let numbers = builder.refs([builder.refs([builder.strings(["a", "b"]), mixed])])
        // Links to the first objects of tables 0 and 1.
        let pairs = builder.integers([0, 0, 1, 0])
        mixed = builder.refs([builder.integers([17, 17 | 1 << 8]), 0, pairs, 0])
        let links = builder.refs([builder.refs([builder.strings(["a", "b"]), mixed])])
        let columns = [
            Column("numbers", type: 0, attributes: Self.map, keyType: 2, leaf: numbers),
            Column(
                "links", type: 12, attributes: Self.map | Self.optional, target: 0, keyType: 2,
                leaf: links),
        ]
        for column in columns {
            var builder = builder
            builder.table("class_B", count: 1, [column])
            Self.expectRefusal(builder)
            try Self.salvage(builder) { (tree, _, report) throws in
                let kept: StoredValue = column.type == 0 ? .int(5) : .link(RowKey(0))
                #expect(
                    try Self.contents(tree, "B", column.name)
                        == [.entries(keys: ["a"], values: [kept])])
                #expect(report.damages.map(\.property) == [column.name])
            }
        }
    }

    /// They became zeros, and elements of collections were left out, in any import.
    @Test func nullWhereNoneMayBeIsDamage() throws {
        // Two UUIDs, of which the second is null.
        let bytes = [0b10] + [UInt8](repeating: 7, count: 32)
        for isList in [false, true] {
            var builder = RealmFileBuilder()
            let uuids = builder.node(widthType: 1, width: 1, count: 33, bytes)
            let leaf = isList ? builder.refs([uuids, 0]) : uuids
            let attributes = isList ? Self.list : 0
            builder.table(
                "class_A", count: 2, [Column("u", type: 17, attributes: attributes, leaf: leaf)])
            Self.expectRefusal(builder)
            try Self.salvage(builder) { (tree, _, report) throws in
                #expect(tree.count(ClassID(0)) == 2 && report.count == 1)
                let first = try #require(try Self.contents(tree, "A", "u").first)
                if isList {
                    guard case .elements(let elements) = first else {
                        Issue.record("\(first) is no list")
                        return
                    }
                    #expect(elements.count == 1)
                }
            }
        }
    }

    /// They were left out of lists, so that what came behind them had another index.
    @Test func textsThatAreNullWhereNoneMayBeAreEmpty() throws {
        var builder = RealmFileBuilder()
        let texts = builder.strings(["a", nil, "b"])
        builder.table(
            "class_A", count: 1,
            [Column("l", type: 2, attributes: Self.list, leaf: builder.refs([texts]))])
        let (opened, _) = try RealmFileConversionTests.convert(
            RealmFileReading.open(builder.file()))
        #expect(
            try Self.contents(opened.tree, "A", "l")
                == [.elements([.string("a"), .string(""), .string("b")])])
        try opened.log.close()
    }

    /// They were made as often as the whole file may be read, all of them in memory at once.
    @Test func nestedPartsThatAreReferredToAgainAndAgainAreDamage() throws {
        var builder = RealmFileBuilder()
        let numbers = builder.integers([Int64](repeating: 1 | 5 << 8, count: 1000))
        let part = builder.refs([numbers, 0, 0, 0, 0])
        let parts = [Int64](repeating: part, count: 4)
        let (each, total) = (RealmFileBuilder.tagged(1000), RealmFileBuilder.tagged(4000))
        let list = builder.refs([each] + parts + [total], flags: 0x80)
        let leaf = builder.refs([builder.integers([20]), 0, 0, 0, builder.refs([list])])
        builder.table(
            "class_A", count: 1, [Column("any", type: 6, attributes: Self.optional, leaf: leaf)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, _, report) throws in
            let contents = try Self.contents(tree, "A", "any")
            guard case .value(.list(_, let elements))? = contents.first else {
                Issue.record("\(contents.count) values, and no list")
                return
            }
            #expect(elements.count == 1000 && report.count == 1)
        }
    }

    // MARK: Embedded objects

    /// What orphans had themselves went with them, and was not counted.
    @Test func orphansAreCountedWithWhatTheyHave() throws {
        var builder = RealmFileBuilder()
        let numbers = builder.integers([1, 2])
        builder.table("class_Leaf", count: 2, kind: 1, [Column("n", type: 0, leaf: numbers)])
        builder.table(
            "class_Branch", count: 2, kind: 1,
            [Column("leaf", type: 12, attributes: Self.optional, target: 0, leaf: numbers)])
        let link = builder.integers([1])
        builder.table(
            "class_Tree", count: 1,
            [Column("branch", type: 12, attributes: Self.optional, target: 1, leaf: link)])
        let (opened, changes) = try RealmFileConversionTests.convert(
            RealmFileReading.open(builder.file()))
        #expect((0..<3).map { opened.tree.count(ClassID($0)) } == [1, 1, 1])
        #expect(changes.droppedOrphans == 2)
        try opened.log.close()
    }

    /// The orphan took it along before it was seen that another object has it as well.
    @Test func aPartOfAnOrphanAndOfAnotherObjectIsDamage() throws {
        var builder = RealmFileBuilder()
        let link = builder.integers([1])
        builder.table(
            "class_Orphan", count: 1, kind: 1,
            [Column("part", type: 12, attributes: Self.optional, target: 1, leaf: link)])
        builder.table("class_Part", count: 1, kind: 1, [Column("n", type: 0, leaf: link)])
        builder.table(
            "class_Whole", count: 1,
            [Column("part", type: 12, attributes: Self.optional, target: 1, leaf: link)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, changes, _) throws in
            #expect((0..<3).map { tree.count(ClassID($0)) } == [0, 0, 1])
            #expect(changes.droppedOrphans == 2)
        }
    }

    /// Each of them has one parent, so that they stayed, where nothing leads to.
    @Test func embeddedObjectsThatOnlyHaveEachOtherAreLeftOut() throws {
        var builder = RealmFileBuilder()
        // The first two lead to each other, the fourth is a part of the third.
        let next = builder.integers([2, 1, 4, 0])
        builder.table(
            "class_Part", count: 4, kind: 1,
            [Column("next", type: 12, attributes: Self.optional, target: 0, leaf: next)])
        let link = builder.integers([3])
        builder.table(
            "class_Whole", count: 1,
            [Column("part", type: 12, attributes: Self.optional, target: 0, leaf: link)])
        let (opened, changes) = try RealmFileConversionTests.convert(
            RealmFileReading.open(builder.file()))
        #expect(opened.tree.count(ClassID(0)) == 2 && changes.droppedOrphans == 2)
        #expect(
            try Self.contents(opened.tree, "Part", "next")
                == [.value(.link(RowKey(3))), .value(.null)])
        #expect(try TransactionEngine(opened).verify(ReadingMonitor()).problems.isEmpty)
        try opened.log.close()
    }
}
