import StorageHarness
import Testing

@testable import Storage

// Safety: bytes are those of arrays that the tests own, lent for the length of a call.

/// Files built node by node: contents that the files written by Realm do not have, and damage that
/// random mutations do not produce.
@Suite struct RealmFileCraftedTests {
    typealias Column = RealmFileBuilder.Column
    private static let nullable: Int64 = 16
    static let list: Int64 = 32

    /// The values of the first property of the first class.
    func values(_ builder: RealmFileBuilder) throws -> [RealmFileValue] {
        let file = try RealmFileReading.open(builder.file())
        let object = try #require(file.classes.first)
        var cursor = file.objects(of: object)
        var values: [RealmFileValue] = []
        while let batch = try cursor.next() {
            for row in batch.keys.indices { values.append(try batch.value(of: 0, at: row)) }
        }
        return values
    }

    func expectDamage(
        _ builder: RealmFileBuilder, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            var reading = RealmFileReading()
            _ = try reading.read(try RealmFileReading.open(builder.file()))
            Issue.record("what is damaged was read", sourceLocation: sourceLocation)
        } catch {
            #expect("\(error)".contains(text), sourceLocation: sourceLocation)
            #expect("\(error)".contains("is damaged at byte"), sourceLocation: sourceLocation)
        }
        // A salvage terminates as well.
        var reading = RealmFileReading()
        _ = try? reading.read(try RealmFileReading.open(builder.file(), salvage: true))
        #expect(!reading.report.isIntact, sourceLocation: sourceLocation)
    }

    // MARK: Formats

    @Test func formatsFrom10To24AreRead() throws {
        for format: UInt8 in 10...24 {
            var builder = RealmFileBuilder(format: format)
            let leaf = builder.integers([7, -7])
            builder.table("class_A", count: 2, [Column("n", type: 0, leaf: leaf)])
            let values = try values(builder)
            #expect(values.count == 2)
            guard case .int(-7) = values[1] else { throw RealmFileError.keySize(0) }
        }
    }

    @Test func otherFormatsAreRefusedWithAdvice() {
        for format: UInt8 in [1, 2, 9, 25, 255] {
            let builder = RealmFileBuilder(format: format)
            do {
                _ = try RealmFileReading.open(builder.file())
                Issue.record("format \(format) was read")
            } catch {
                let advice = format < 10 ? "open the file once with an app" : "Write a copy"
                #expect("\(error)".contains(advice) && "\(error)".contains("\(format)"))
            }
        }
    }

    /// A copy of a file without commits has no top array and no format number. It was reported as
    /// damaged.
    @Test func aCopyOfAFileWithoutACommitIsEmpty() throws {
        func copy(format: UInt8) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: 8)
            return [UInt8](repeating: 0xFF, count: 8) + zeros
                + [0x54, 0x2D, 0x44, 0x42, format, 0, 0, 0] + zeros
                + [0xC8, 0x26, 0xE5, 0x37, 0x52, 0x12, 0x34, 0x30]
        }
        let file = try RealmFileReading.open(copy(format: 0))
        #expect(file.classes.isEmpty && file.info.isStreaming && file.info.schemaVersion == nil)
        #expect(try file.commitsSinceOpening() == 0)
        let (opened, changes) = try RealmFileConversionTests.convert(file)
        #expect(opened.tree.schema.classes.isEmpty && changes == RealmFileChanges())
        try opened.log.close()
        // A file with a commit has both.
        let reason = "the end of the copy leads nowhere"
        #expect(
            throws: RealmFileError.damaged(path: "file.realm", offset: 24, reason: reason)
        ) { try RealmFileReading.open(copy(format: 24)) }
    }

    /// Subscriptions and permissions of query-based synchronisation were imported as classes of the
    /// app, for which no realm has models. They are kept if the app's classes link to them.
    @Test func classesOfSynchronisationAreExcluded() throws {
        func names(linkedFrom dogs: Bool, withSubscriptions: Bool = true) throws -> [String] {
            let target: Int64 = dogs ? 1 : 0
            var builder = RealmFileBuilder(format: 10)
            let numbers = builder.integers([7])
            let lists = builder.refs([0])
            builder.table(
                "class_Dog", count: 1,
                [
                    Column("n", type: 0, leaf: numbers),
                    Column(
                        "links", type: 12, attributes: Self.list, target: target, leaf: lists),
                ])
            builder.table("class___Permission", count: 1, [Column("n", type: 0, leaf: numbers)])
            if withSubscriptions {
                builder.table(
                    "class___ResultSets", count: 1,
                    [
                        Column(
                            "matches", type: 12, attributes: Self.list, target: 0, leaf: lists)
                    ])
            }
            let file = try RealmFileReading.open(builder.file())
            let (opened, _) = try RealmFileConversionTests.convert(file)
            #expect(opened.tree.schema.classes.map(\.name) == file.classes.map(\.name))
            try opened.log.close()
            return file.classes.map(\.name)
        }
        #expect(try names(linkedFrom: false) == ["Dog"])
        #expect(
            try names(linkedFrom: true) == ["Dog", "__Permission", "__ResultSets"])
        // A class of the app may have such a name.
        #expect(
            try names(linkedFrom: false, withSubscriptions: false) == ["Dog", "__Permission"])
    }

    // MARK: Values

    /// In formats 21 and 22 a dictionary is a tree of clusters, with a column of keys and one of
    /// mixed values.
    @Test func dictionariesInClustersAreRead() throws {
        for format: UInt8 in [21, 22] {
            var builder = RealmFileBuilder(format: format)
            let composites = builder.integers([1 | 5 << 8, 0])
            let mixed = builder.refs([composites, 0, 0, 0])
            let hashes = builder.integers([3, 1 << 40])
            let keys = builder.strings(["b", "a"])
            let root = builder.refs([hashes, keys, mixed])
            let leaf = builder.refs([root])
            builder.table(
                "class_A", count: 1,
                [Column("d", type: 6, attributes: 64 | Self.nullable, keyType: 2, leaf: leaf)])
            guard case .dictionary(let entries) = try WholeValue(try values(builder)[0]) else {
                Issue.record("it is no dictionary")
                return
            }
            #expect(entries.map(\.key) == [[0x61], [0x62]])
            guard case .single(.null) = entries[0].value, case .single(.int(5)) = entries[1].value
            else {
                Issue.record("\(entries)")
                return
            }
        }
    }

    /// The second of two keys with the same hash is after all others, with a negative number; a
    /// third column lists such keys. Dictionaries with such keys were reported as damaged.
    @Test func keysOfTheSameHashAreRead() throws {
        var builder = RealmFileBuilder(format: 22)
        let both = Self.entries(["a": 5, "b": 7], hashes: [3, -5], &builder)
        let parts = [
            Self.entries(["a": 5], hashes: [3], &builder),
            Self.entries(["b": 7], hashes: [0], &builder),
        ]
        let offsets = builder.integers([0, -5])
        let head = [offsets, RealmFileBuilder.tagged(1), RealmFileBuilder.tagged(2)]
        let tree = builder.refs(head + parts, flags: 0x80)
        let leaf = builder.refs([both, tree])
        builder.table(
            "class_A", count: 2, [Column("d", type: 0, attributes: 64, keyType: 2, leaf: leaf)])
        let values = try values(builder)
        #expect(values.count == 2)
        for value in values {
            guard case .collection(let collection) = value,
                case .dictionary(let entries) = try WholeValue(value), entries.count == 2,
                case .single(.int(5)) = entries[0].value, case .single(.int(7)) = entries[1].value
            else {
                Issue.record("\(value)")
                return
            }
            #expect(entries.map(\.key) == [[0x61], [0x62]])
            #expect(try collection.count() == 2)
        }
    }

    /// A cluster of entries without a list of other entries.
    private static func entries(
        _ entries: KeyValuePairs<String, Int64>, hashes: [Int64], _ builder: inout RealmFileBuilder
    ) -> Int64 {
        let composites = builder.integers(entries.map { 1 | $0.value << 8 })
        let mixed = builder.refs([composites, 0, 0, 0])
        let places = builder.integers(hashes)
        let keys = builder.strings(entries.map(\.key))
        return builder.refs([places, keys, mixed, builder.refs(entries.map { _ in 0 })])
    }

    @Test func narrowDecimalsAreWidened() throws {
        // 1.5, -1.5, the largest coefficient in the second form, null.
        let narrow: [UInt64] = [
            397 << 53 | 15, 1 << 63 | 397 << 53 | 15, 3 << 61 | 398 << 51 | 1_783_252_459_739_007,
            0x7C00_0000_0000_00AA,
        ]
        var builder = RealmFileBuilder()
        let leaf = builder.node(
            widthType: 1, width: 8, count: 4,
            narrow.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
        builder.table("class_A", count: 4, [Column("d", type: 11, attributes: 16, leaf: leaf)])
        let found = try values(builder).map { value in
            if case .decimal(let decimal) = value { decimal } else { RealmFileDecimal?.none }
        }
        let one: UInt64 = 6175 << 49
        #expect(
            found == [
                RealmFileDecimal(low: 15, high: one),
                RealmFileDecimal(low: 15, high: 1 << 63 | one),
                RealmFileDecimal(low: 1 << 53 + 1_783_252_459_739_007, high: 6176 << 49),
                nil,
            ])
        #expect(
            RealmFileDecimal(decimal32: 100 << 23 | 15) == RealmFileDecimal(low: 15, high: one))
        #expect(
            RealmFileDecimal(decimal32: 3 << 29 | 101 << 21 | 1_611_391)
                == RealmFileDecimal(low: 1 << 23 + 1_611_391, high: 6176 << 49))
    }

    /// When Realm moves zeros to a new leaf, they become null, also in a property that is not
    /// nullable: such a file was reported as damaged.
    @Test func decimalsWhereNullMayNotBeAreZero() throws {
        for (width, isOptional) in [0, 4, 8, 16].flatMap({ [($0, false), ($0, true)] }) {
            var builder = RealmFileBuilder()
            let zeros = [UInt8](repeating: 0, count: max(width - 2, 0))
            let null: [UInt8] = width == 0 ? [] : [0xAA] + zeros + [0x7C]
            let leaf = builder.node(widthType: 1, width: width, count: 2, null + null)
            let attributes = isOptional ? Self.nullable : 0
            builder.table(
                "class_A", count: 2, [Column("d", type: 11, attributes: attributes, leaf: leaf)])
            let values = try values(builder)
            #expect(values.count == 2)
            for value in values {
                switch value {
                case .null: #expect(isOptional)
                case .decimal(let decimal): #expect(!isOptional && decimal == .zero)
                default: Issue.record("\(value)")
                }
            }
        }
    }

    /// Realm takes infinities and NaN for zeros when it chooses the width of a leaf. In a leaf of
    /// small numbers they were read as numbers, such as 8388608E+91.
    @Test func infinitiesAndNaNAreReadAtAllWidths() throws {
        let heads: [UInt8] = [0x78, 0xF8, 0x7C]
        let expected: [RealmFileDecimal?] = heads.map {
            RealmFileDecimal(low: 0, high: UInt64($0) << 56)
        }
        for width in [4, 8, 16] {
            var builder = RealmFileBuilder()
            let zeros = [UInt8](repeating: 0, count: width - 1)
            let leaf = builder.node(
                widthType: 1, width: width, count: 3, heads.flatMap { zeros + [$0] })
            builder.table(
                "class_A", count: 3,
                [Column("d", type: 11, attributes: Self.nullable, leaf: leaf)])
            let found = try values(builder).map { value in
                if case .decimal(let decimal) = value { decimal } else { RealmFileDecimal?.none }
            }
            #expect(found == expected)
        }
    }

    @Test func valuesInSeveralBlobsAreJoined() throws {
        var builder = RealmFileBuilder()
        let parts = [builder.blob(Array("one ".utf8)), builder.blob(Array("two".utf8))]
        let split = builder.refs(parts, flags: 0x20)
        let whole = builder.blob(Array("three".utf8) + [0])
        let leaf = builder.refs([split, whole, 0], flags: 0x20)
        builder.table("class_A", count: 3, [Column("s", type: 2, attributes: 16, leaf: leaf)])
        let texts = try values(builder).map { value in
            if case .string(let text) = value { text } else { "-" }
        }
        #expect(texts == ["one two", "three", "-"])
    }

    /// Previews of Realm 10.8 cleared sets of long values in this form; the file was reported as
    /// damaged.
    @Test func aSetThatWasEmptiedIsEmpty() throws {
        for type: Int64 in [2, 4] {
            var builder = RealmFileBuilder(format: 22)
            let root = builder.node(flags: 0x40, widthType: 0, width: 16, count: 0)
            let leaf = builder.refs([root])
            builder.table(
                "class_A", count: 1, [Column("s", type: type, attributes: 128, leaf: leaf)])
            guard case .set(let elements) = try WholeValue(try values(builder)[0]) else {
                Issue.record("it is no set")
                return
            }
            #expect(elements.isEmpty)
        }
    }

    @Test func aHundredLevelsOfCollectionsAreRead() throws {
        #expect(try Self.depth(of: values(Self.nested(levels: 100))[0]) == 100)
    }

    @Test func moreLevelsOfCollectionsAreDamage() {
        expectDamage(Self.nested(levels: 101), "too deep")
    }

    private static func nested(levels: Int) -> RealmFileBuilder {
        var builder = RealmFileBuilder()
        var leaf: Int64 = 0
        for level in 0...levels {
            let composites = builder.integers([level == 0 ? 0 : 20])
            let refs = leaf == 0 ? 0 : builder.refs([leaf])
            leaf = builder.refs([composites, 0, 0, 0, refs, 0])
        }
        builder.table("class_A", count: 1, [Column("m", type: 6, attributes: 16, leaf: leaf)])
        return builder
    }

    private static func depth(of value: RealmFileValue) throws -> Int {
        guard case .collection(let collection) = value else { return 0 }
        var elements = collection.elements()
        guard let value = try elements.next()?.value(at: 0) else { return 1 }
        return 1 + (try depth(of: value))
    }

    /// All leaves share the strings; reading them again for each leaf would exceed the limit of a
    /// pass.
    @Test func enumeratedStringsAreReadOnce() throws {
        var builder = RealmFileBuilder()
        let strings = builder.strings(
            (0..<1500).map { "string \($0) of those that are stored once" })
        let clusters = (0..<64).map { number in
            let leaf = builder.integers([Int64(number), 1499])
            return builder.refs([RealmFileBuilder.tagged(2), leaf])
        }
        let offsets = builder.integers((0..<64).map { $0 * 2 })
        let head = [offsets, RealmFileBuilder.tagged(1), RealmFileBuilder.tagged(128)]
        let root = builder.refs(head + clusters, flags: 0x80)
        builder.table(
            "class_A", root: root, [Column("s", type: 2, enumeration: strings, leaf: 0)])
        let values = try values(builder)
        guard values.count == 128, case .string(let text) = values[126] else {
            Issue.record("\(values.count) values")
            return
        }
        #expect(text == "string 63 of those that are stored once")
    }

    // MARK: Files that an app has open

    @Test func commitsSinceOpeningAreCounted() throws {
        // Slot 1 has the previous commit.
        var bytes = try RealmFileFolder.own.bytes("small.realm")
        let newest = bytes
        bytes[23] = 1
        let files = MemoryFileSystem()
        let file = try files.open("file.realm", .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let realm = try RealmFile(path: "file.realm", in: files)
        #expect(try realm.commitsSinceOpening() == 0)
        try newest.withUnsafeBytes { try file.write($0, at: 0) }
        #expect(try realm.commitsSinceOpening() == 1)
        #expect(try RealmFile(path: "file.realm", in: files).commitsSinceOpening() == 0)
    }

    /// An app whose commits have the same size writes every second top array to the same offset.
    @Test func aCommitWithAnEqualHeaderCounts() throws {
        var bytes = try RealmFileFolder.own.bytes("small.realm")
        let files = MemoryFileSystem()
        let file = try files.open("file.realm", .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let realm = try RealmFile(path: "file.realm", in: files)
        // Element 6 of four bytes each is the tagged number of the commit.
        let top = Int(bytes[0]) | Int(bytes[1]) << 8
        #expect(bytes[23] & 1 == 0 && bytes[top + 4] & 7 == 6 && bytes[top + 7] > 6)
        bytes[top + 8 + 6 * 4] += 2 << 1
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        #expect(try realm.commitsSinceOpening() == 2)
        #expect(throws: RealmFileError.changed(path: "file.realm")) {
            try realm.requireUnchanged()
        }
    }
}
