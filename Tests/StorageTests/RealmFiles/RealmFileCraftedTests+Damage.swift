import StorageHarness
import Testing

@testable import Storage

// Damage: reading ends, the location is reported, and a salvage skips no more than necessary.
extension RealmFileCraftedTests {
    @Test func aLeafThatClaimsMillionsIsDamage() {
        for type: Int64 in [0, 1, 2, 8, 9, 10, 11, 15, 17] {
            var builder = RealmFileBuilder()
            let huge = builder.node(widthType: type < 2 ? 0 : 1, width: 0, count: 0xFF_FFFF)
            let leaf = builder.refs([huge])
            builder.table(
                "class_A", count: 1, [Column("l", type: type, attributes: Self.list, leaf: leaf)])
            expectDamage(builder, "")
            builder = RealmFileBuilder()
            let single = builder.node(widthType: type < 2 ? 0 : 1, width: 0, count: 0xFF_FFFF)
            builder.table("class_A", count: 1, [Column("v", type: type, leaf: single)])
            expectDamage(builder, "")
        }
    }

    /// In a salvage, each of them would be a separate error.
    @Test func aTreeThatClaimsMillionsOfPartsIsOneDamage() throws {
        for width in [0, 1] {
            var builder = RealmFileBuilder()
            // All elements, including the total, are tagged integers, or absent.
            let payload = [UInt8](repeating: 0xFF, count: 0xFF_FFFF * width / 8 + width)
            let root = builder.node(
                flags: 0xC0, widthType: 0, width: width, count: 0xFF_FFFF, payload)
            let leaf = builder.refs([root])
            let value = builder.integers([1])
            builder.table(
                "class_A", count: 1, [Column("l", type: 0, attributes: Self.list, leaf: leaf)])
            builder.table("class_B", root: root, [Column("n", type: 0, leaf: value)])
            expectDamage(builder, "")
            var reading = RealmFileReading()
            _ = try reading.read(try RealmFileReading.open(builder.file(), salvage: true))
            #expect(reading.report.count <= 3)
        }
    }

    @Test func aListThatContainsItselfEnds() {
        var builder = RealmFileBuilder()
        let root = builder.end
        _ = builder.refs(
            [RealmFileBuilder.tagged(1000), root, root, RealmFileBuilder.tagged(2000)], flags: 0x80)
        let leaf = builder.refs([root])
        builder.table(
            "class_A", count: 1, [Column("l", type: 0, attributes: Self.list, leaf: leaf)])
        expectDamage(builder, "too deep")
    }

    /// Each level refers to the one below a hundred times: without a limit on the bytes read, there
    /// are 10^12 elements.
    @Test func aTreeThatSharesItsPartsEnds() {
        var builder = RealmFileBuilder()
        var root = builder.integers([1])
        var total: Int64 = 1
        for _ in 0..<6 {
            let children = [Int64](repeating: root, count: 100)
            let head = RealmFileBuilder.tagged(total)
            total *= 100
            root = builder.refs([head] + children + [RealmFileBuilder.tagged(total)], flags: 0x80)
        }
        let leaf = builder.refs([root])
        builder.table(
            "class_A", count: 1, [Column("l", type: 0, attributes: Self.list, leaf: leaf)])
        expectDamage(builder, "more often than")
    }

    @Test func manyObjectsThatShareALargeListEnd() {
        var builder = RealmFileBuilder()
        let elements = builder.integers([Int64](repeating: 9, count: 1000))
        let leaf = builder.refs([Int64](repeating: elements, count: 256))
        builder.table(
            "class_A", count: 256, [Column("l", type: 0, attributes: Self.list, leaf: leaf)])
        expectDamage(builder, "more often than")
    }

    @Test func clustersWhoseKeysDoNotAscendAreDamage() {
        var builder = RealmFileBuilder()
        let leaf = builder.integers([1, 2])
        let cluster = builder.refs([RealmFileBuilder.tagged(2), leaf])
        let offsets = builder.integers([0, 1])
        let root = builder.refs(
            [offsets, RealmFileBuilder.tagged(1), RealmFileBuilder.tagged(4), cluster, cluster],
            flags: 0x80)
        builder.table("class_A", root: root, [Column("n", type: 0, leaf: leaf)])
        expectDamage(builder, "out of order")
    }

    @Test func aSalvageLeavesOutOneColumnAndSaysWhich() throws {
        var builder = RealmFileBuilder()
        let good = builder.integers([1, 2])
        let bad = builder.integers([1, 2, 3])
        builder.table(
            "class_A", count: 2,
            [Column("bad", type: 0, leaf: bad), Column("good", type: 0, leaf: good)])
        let file = try RealmFileReading.open(builder.file(), salvage: true)
        var cursor = file.objects(of: try #require(file.class(named: "A")))
        let batch = try #require(try cursor.next())
        guard case .null = try batch.value(of: 0, at: 1),
            case .int(2) = try batch.value(of: 1, at: 1)
        else {
            Issue.record("the good column is gone, or the bad one is there")
            return
        }
        #expect(
            file.report.damages == [
                RealmFileDamage(
                    className: "A", property: "bad", keys: 0...1, offset: Int(bad),
                    reason: "there are 3 values for 2 objects")
            ])
    }

    /// One value of a column without other damage.
    @Test func aSalvageLeavesOutOneValue() throws {
        var builder = RealmFileBuilder()
        let text = builder.blob(Array("text".utf8) + [0])
        let leaf = builder.refs([text, 1 << 40], flags: 0x20)
        builder.table("class_A", count: 2, [Column("s", type: 2, leaf: leaf)])
        let file = try RealmFileReading.open(builder.file(), salvage: true)
        var reading = RealmFileReading()
        #expect(try reading.read(file) == 2)
        #expect(reading.report.damages.map(\.keys) == [1...1])
        #expect(reading.report.count == 1)
    }
}
