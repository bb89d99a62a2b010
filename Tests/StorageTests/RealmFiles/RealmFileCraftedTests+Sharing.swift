import StorageHarness
import Testing

@testable import Storage

/// Strings that many objects may refer to, and specs that many tables refer to.
extension RealmFileCraftedTests {
    /// A class of 8,192 objects, all with the first string of an enumeration.
    private static func enumerated(
        _ strings: (inout RealmFileBuilder) -> Int64
    ) -> RealmFileBuilder {
        var builder = RealmFileBuilder()
        let enumeration = strings(&builder)
        let clusters = (0..<32).map { _ in
            let leaf = builder.node(widthType: 0, width: 0, count: 256)
            return builder.refs([RealmFileBuilder.tagged(256), leaf])
        }
        addClass(of: clusters, enumeration, to: &builder)
        return builder
    }

    /// Adds a class with clusters of 256 objects each, whose strings are those of an enumeration.
    private static func addClass(
        of clusters: [Int64], _ enumeration: Int64, to builder: inout RealmFileBuilder
    ) {
        let offsets = builder.integers(clusters.indices.map { Int64($0) * 256 })
        let count = RealmFileBuilder.tagged(Int64(clusters.count) * 256)
        let head = [offsets, RealmFileBuilder.tagged(1), count]
        let root = builder.refs(head + clusters, flags: 0x80)
        builder.table(
            "class_A", root: root, [Column("s", type: 2, enumeration: enumeration, leaf: 0)])
    }

    private static func text(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 0x61, count: count) + [0]
    }

    /// The string was counted once per object, which exhausted the limit of a pass.
    @Test func longEnumeratedStringsAreReadForAllObjects() throws {
        let builder = Self.enumerated { builder in
            let blob = builder.blob(Self.text(2000))
            return builder.refs([blob, 0], flags: 0x20)
        }
        let values = try values(builder)
        #expect(values.count == 32 * 256)
        for value in values {
            guard case .string(let text) = value, text.utf8.count == 2000 else {
                Issue.record("\(value)")
                return
            }
        }
    }

    /// Those without room in the cache were counted once per object, so that an intact file with
    /// more than 16 MiB of them was damaged.
    @Test func manyEnumeratedStringsAreReadForAllObjects() throws {
        var builder = RealmFileBuilder()
        let blobs = (0..<1100).map { _ in builder.blob(Self.text(16_000)) }
        let enumeration = builder.refs(blobs, flags: 0x20)
        // The first objects fill the cache, and all others have the last string.
        let clusters = (Int64(0)..<76).map { number in
            let first = number < 5 ? number * 256 : 1099
            let indices = (first..<first + 256).map { min($0, 1099) }
            let leaf = builder.integers(indices)
            return builder.refs([RealmFileBuilder.tagged(256), leaf])
        }
        Self.addClass(of: clusters, enumeration, to: &builder)
        let file = try RealmFileReading.open(builder.file())
        var cursor = file.objects(of: try #require(file.classes.first))
        var count = 0
        while let batch = try cursor.next() {
            for row in batch.keys.indices {
                guard case .string(let text) = try batch.value(of: 0, at: row),
                    text.utf8.count == 16_000
                else {
                    Issue.record("object \(count)")
                    return
                }
                count += 1
            }
        }
        #expect(count == 76 * 256)
    }

    /// A file of 100 KB would have gigabytes of text.
    @Test func largeEnumeratedStringsAreDamage() {
        let inBlob = Self.enumerated { builder in
            let blob = builder.blob(Self.text(100_000))
            return builder.refs([blob], flags: 0x20)
        }
        expectDamage(inBlob, "more often than")
        let inCommonBlob = Self.enumerated { builder in
            let blob = builder.blob(Self.text(100_000))
            let (ends, nulls) = (builder.integers([100_001]), builder.integers([0]))
            return builder.refs([ends, blob, nulls])
        }
        expectDamage(inCommonBlob, "goes from 0 to 100001")
    }

    /// Each object read thousands of nodes again, which did not count.
    @Test func enumeratedStringsInManyPartsAreDamage() {
        let inParts = Self.enumerated { builder in
            let part = builder.blob([0x61])
            let parts = builder.refs([Int64](repeating: part, count: 4000), flags: 0x20)
            return builder.refs([parts], flags: 0x20)
        }
        expectDamage(inParts, "more often than")
    }

    /// A file of some megabytes had millions of properties, all in memory before any was read.
    @Test func tablesThatShareALargeSpecAreDamage() {
        var builder = RealmFileBuilder()
        let root = builder.refs([RealmFileBuilder.tagged(0)])
        let columns = (0..<1000).map { Column("c\($0)", type: 0, leaf: 0) }
        builder.tablesSharing(root, (0..<8).map { "class_A\($0)" }, columns)
        expectDamage(builder, "no room for the columns")
    }
}
