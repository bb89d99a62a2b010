/// Reads the elements of a list or a set, a leaf of at most a thousand at a time.
package struct RealmFileElements {
    private var tree: RealmListTree
    private let decoder: RealmLeafDecoder

    init(
        root: UInt64?, _ type: RealmValueType, _ source: RealmFileSource, depth: Int
    ) {
        tree = RealmListTree(root: root, source.pass.reader)
        decoder = RealmLeafDecoder(
            type: type, place: .collection, source: source, depth: depth)
    }

    /// The next elements; nil after the last ones. In a salvage, damaged parts are skipped.
    package mutating func next() throws(RealmFileError) -> RealmFileRun? {
        while true {
            do throws(RealmFileError) {
                guard let leaf = try tree.next() else { return nil }
                return RealmFileRun(column: try column(leaf), source: decoder.source)
            } catch {
                try decoder.source.skip(error)
            }
        }
    }

    private mutating func column(
        _ leaf: (ref: UInt64, header: RealmNodeHeader)
    ) throws(RealmFileError) -> RealmFileColumn {
        do throws(RealmFileError) {
            let column = try decoder.column(leaf.ref, leaf.header)
            // Links to objects that do not exist yet are skipped, but counted.
            tree.took(decoder.type.kind == .link ? leaf.header.count : column.count)
            return column
        } catch {
            tree.took(nil)
            throw error
        }
    }
}

/// Consecutive elements of a list or a set.
package struct RealmFileRun: Sendable {
    package let column: RealmFileColumn
    let source: RealmFileSource

    /// The number of elements.
    package var count: Int { column.count }

    /// The element at an index below the count. In a salvage, nil if it is damaged.
    package func value(at index: Int) throws(RealmFileError) -> RealmFileValue? {
        do throws(RealmFileError) {
            return try column.value(at: index)
        } catch {
            try source.skip(error)
            return nil
        }
    }
}
