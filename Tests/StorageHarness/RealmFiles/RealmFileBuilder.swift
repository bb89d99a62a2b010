/// Makes `.realm` files node by node, for tests of what Realm did not write.
package struct RealmFileBuilder {
    /// The file so far. Its own header is written last.
    private var bytes = [UInt8](repeating: 0, count: 24)
    private var tables: [(name: String, ref: Int64)] = []
    /// The number of the format.
    package var format: UInt8

    package init(format: UInt8 = 24) { self.format = format }

    /// Where the next node comes.
    package var end: Int64 { Int64(bytes.count) }

    /// A node; returns its ref.
    package mutating func node(
        flags: UInt8 = 0, widthType: UInt8, width: Int, count: Int, _ payload: [UInt8] = []
    ) -> Int64 {
        let ref = end
        let code = UInt8(width == 0 ? 0 : width.trailingZeroBitCount + 1)
        bytes += [0x41, 0x41, 0x41, 0x41, flags | widthType << 3 | code]
        bytes += [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        bytes += payload
        bytes += [UInt8](repeating: 0, count: (8 - payload.count % 8) % 8)
        return ref
    }

    /// A node of integers of 64 bits.
    package mutating func integers(_ values: [Int64], flags: UInt8 = 0) -> Int64 {
        let payload = values.flatMap { value in
            (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        return node(flags: flags, widthType: 0, width: 64, count: values.count, payload)
    }

    /// A tree of clusters of one object each, which says that it has `total` objects.
    package mutating func tree(of clusters: [Int64], total: Int64) -> Int64 {
        let offsets = integers(clusters.indices.map { Int64($0) })
        return refs([offsets, Self.tagged(1), Self.tagged(total)] + clusters, flags: 0x80)
    }

    /// A node of refs, and of what `tagged` returns.
    package mutating func refs(_ values: [Int64], flags: UInt8 = 0) -> Int64 {
        integers(values, flags: flags | 0x40)
    }

    package static func tagged(_ value: Int64) -> Int64 { value << 1 | 1 }

    package mutating func blob(_ contents: [UInt8]) -> Int64 {
        node(widthType: 2, width: 8, count: contents.count, contents)
    }

    /// Short strings of less than 64 bytes; nil for null.
    package mutating func strings(_ values: [String?]) -> Int64 {
        let longest = values.map { $0?.utf8.count ?? 0 }.max() ?? 0
        var width = 1
        while width <= longest { width *= 2 }
        let payload = values.flatMap { value in
            let text = value.map { Array($0.utf8) } ?? []
            let padding = value == nil ? width : width - 1 - text.count
            return text + [UInt8](repeating: 0, count: width - 1 - text.count) + [UInt8(padding)]
        }
        return node(widthType: 1, width: width, count: values.count, payload)
    }

    /// A column, and the leaf of its values.
    package struct Column {
        package var name: String
        package var type: Int64
        package var attributes: Int64 = 0
        package var target: Int64 = (1 << 31) - 1
        /// What stands in the upper half of its type: that of a dictionary's keys.
        package var keyType: Int64 = 0
        /// The strings of an enumerated column, or 0.
        package var enumeration: Int64 = 0
        package var leaf: Int64

        package init(
            _ name: String, type: Int64, attributes: Int64 = 0, target: Int64? = nil,
            keyType: Int64 = 0, enumeration: Int64 = 0, leaf: Int64
        ) {
            self.name = name
            self.type = type
            self.attributes = attributes
            self.target = target ?? (1 << 31) - 1
            self.keyType = keyType
            self.enumeration = enumeration
            self.leaf = leaf
        }
    }

    /// A table of objects with the keys 0 and so on, in one cluster; of kind 1 when embedded. The
    /// number of a column says which is the primary key.
    package mutating func table(
        _ name: String, count: Int64, kind: Int64 = 0, primaryKey: Int? = nil, _ columns: [Column]
    ) {
        let cluster = refs([Self.tagged(count)] + columns.map(\.leaf))
        table(name, root: cluster, kind: kind, primaryKey: primaryKey, columns)
    }

    /// A table with any tree of clusters.
    package mutating func table(
        _ name: String, root: Int64, kind: Int64 = 0, primaryKey: Int? = nil, _ columns: [Column]
    ) {
        tablesSharing(root, [name], kind: kind, primaryKey: primaryKey, columns)
    }

    /// Tables with one tree of clusters and one spec, which no two of Realm's have.
    package mutating func tablesSharing(
        _ root: Int64, _ names: [String], kind: Int64 = 0, primaryKey: Int? = nil,
        _ columns: [Column]
    ) {
        let keys = columns.enumerated().map { index, column in
            Int64(index) | column.type << 16 | (column.attributes & 0xFF) << 22
                | Int64(index + 1) << 30
        }
        let parts = [
            integers(columns.map { $0.type | $0.keyType << 16 }), strings(columns.map(\.name)),
            integers(columns.map(\.attributes)), 0, refs(columns.map(\.enumeration)),
            integers(keys),
        ]
        let targets = integers(columns.map(\.target))
        let spec = refs(parts)
        let keyColumn = primaryKey.map { Self.tagged(keys[$0]) } ?? 0
        for name in names {
            let key = Self.tagged(Int64(tables.count))
            let elements = [
                spec, 0, root, key, 0, 1, 1, targets, 0, 1, 0, keyColumn, Self.tagged(kind), 0,
            ]
            tables.append((name, refs(elements)))
        }
    }

    /// The file, whole.
    package func file() -> [UInt8] {
        var copy = self
        let names = copy.strings(tables.map(\.name))
        let refs = copy.refs(tables.map(\.ref))
        // The size is known when the top array is there, which takes four words.
        let size = copy.end + 32
        let top = copy.refs([names, refs, Self.tagged(size)])
        var file = copy.bytes
        for index in 0..<8 { file[index] = UInt8(truncatingIfNeeded: top >> (index * 8)) }
        file.replaceSubrange(16..<24, with: [0x54, 0x2D, 0x44, 0x42, format, format, 0, 0])
        return file
    }
}
