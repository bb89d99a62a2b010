import StorageHarness
import Testing

@testable import Storage

extension RealmFileSalvageTests {
    // MARK: Values

    /// It was reported as damage at the first byte of the file.
    @Test func aDanglingLinkIsReportedWithItsLocation() throws {
        var builder = RealmFileBuilder()
        let links = builder.integers([9])
        // The cluster is the first one of a table.
        let cluster = Int(builder.end)
        builder.table("class_A", count: 1, [Self.links("a", links)])
        let file = try RealmFileReading.open(builder.file())
        let reason = "a link leads to an object 8 that does not exist"
        #expect(
            throws: RealmFileError.damaged(path: "file.realm", offset: cluster, reason: reason)
        ) { try RealmFileConversionTests.convert(file) }
    }

    /// They ended an import. Realm left them in nested collections.
    @Test func linksInMixedValuesToMissingObjectsAreNull() throws {
        var builder = RealmFileBuilder()
        // Links to the first object of the first table, and to the ninth, which is missing.
        func mixed() -> Int64 {
            let pairs = builder.integers([0, 0, 0, 8])
            let links = builder.integers([17, 17 | 1 << 8])
            return builder.refs([links, 0, pairs, 0])
        }
        let any = mixed()
        var elements = mixed()
        let list = builder.refs([elements, 0])
        elements = mixed()
        let set = builder.refs([elements, 0])
        elements = mixed()
        let entries = builder.refs([builder.strings(["a", "b"]), elements])
        let map = builder.refs([entries, 0])
        builder.table(
            "class_A", count: 2,
            [
                Column("any", type: 6, attributes: Self.optional, leaf: any),
                Column("list", type: 6, attributes: Self.list | Self.optional, leaf: list),
                Column("set", type: 6, attributes: 128 | Self.optional, leaf: set),
                Column(
                    "map", type: 6, attributes: Self.map | Self.optional, keyType: 2, leaf: map),
            ])
        let link = StoredValue.object(ClassID(0), RowKey(0))
        try Self.convert(RealmFileReading.open(builder.file())) { (tree, changes) throws in
            #expect(try Self.contents(tree, "A", "any") == [.value(link), .value(.null)])
            #expect(try Self.contents(tree, "A", "list").first == .elements([link, .null]))
            #expect(try Self.contents(tree, "A", "set").first == .elements([link]))
            #expect(
                try Self.contents(tree, "A", "map").first
                    == .entries(keys: ["a", "b"], values: [link, .null]))
            #expect(changes.droppedLinks == 4)
        }
    }

    /// They ended a salvage, and links to objects of other classes became nil in any import.
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
        // Two UUIDs, the second of which is null.
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

    /// They were left out of lists, so that later elements had another index.
    @Test func textsThatAreNullWhereNoneMayBeAreEmpty() throws {
        var builder = RealmFileBuilder()
        let texts = builder.strings(["a", nil, "b"])
        builder.table(
            "class_A", count: 1,
            [Column("l", type: 2, attributes: Self.list, leaf: builder.refs([texts]))])
        try Self.convert(RealmFileReading.open(builder.file())) { (tree, _) throws in
            #expect(
                try Self.contents(tree, "A", "l")
                    == [.elements([.string("a"), .string(""), .string("b")])])
        }
    }

    /// They were created until the limit of bytes read from the file, all of them in memory at
    /// once.
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

    /// The children of orphans were removed with them, without being counted.
    @Test func orphansAreCountedWithWhatTheyHave() throws {
        var builder = RealmFileBuilder()
        let numbers = builder.integers([1, 2])
        builder.table("class_Leaf", count: 2, kind: 1, [Column("n", type: 0, leaf: numbers)])
        builder.table("class_Branch", count: 2, kind: 1, [Self.links("leaf", numbers)])
        let link = builder.integers([1])
        builder.table("class_Tree", count: 1, [Self.links("branch", to: 1, link)])
        try Self.convert(RealmFileReading.open(builder.file())) { (tree, changes) throws in
            #expect((0..<3).map { tree.count(ClassID($0)) } == [1, 1, 1])
            #expect(changes.droppedOrphans == 2)
        }
    }

    /// The child was removed with the orphan before its other owner was examined.
    @Test func aPartOfAnOrphanAndOfAnotherObjectIsDamage() throws {
        var builder = RealmFileBuilder()
        let link = builder.integers([1])
        builder.table("class_Orphan", count: 1, kind: 1, [Self.links("part", to: 1, link)])
        builder.table("class_Part", count: 1, kind: 1, [Column("n", type: 0, leaf: link)])
        builder.table("class_Whole", count: 1, [Self.links("part", to: 1, link)])
        Self.expectRefusal(builder)
        try Self.salvage(builder) { (tree, changes, _) throws in
            #expect((0..<3).map { tree.count(ClassID($0)) } == [0, 0, 1])
            #expect(changes.droppedOrphans == 2)
        }
    }

    /// Each of them has one parent, so they were kept, unreachable.
    @Test func embeddedObjectsThatOnlyHaveEachOtherAreLeftOut() throws {
        var builder = RealmFileBuilder()
        // The first two link to each other, the fourth is owned by the third.
        let next = builder.integers([2, 1, 4, 0])
        builder.table("class_Part", count: 4, kind: 1, [Self.links("next", next)])
        let link = builder.integers([3])
        builder.table("class_Whole", count: 1, [Self.links("part", link)])
        try Self.convert(RealmFileReading.open(builder.file())) { (tree, changes) throws in
            #expect(tree.count(ClassID(0)) == 2 && changes.droppedOrphans == 2)
            #expect(
                try Self.contents(tree, "Part", "next")
                    == [.value(.link(RowKey(3))), .value(.null)])
        }
    }
}
