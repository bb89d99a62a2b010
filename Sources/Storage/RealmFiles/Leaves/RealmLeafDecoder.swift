/// The type of the values of a leaf.
struct RealmValueType: Sendable {
    let kind: RealmFileProperty.Kind
    let isNullable: Bool
    let target: RealmFileTableKey?
}

/// Decodes leaves of values: the columns of a cluster, and the leaves of collections, whose
/// encodings are the same except for links.
struct RealmLeafDecoder {
    /// The owner of a leaf.
    enum Place {
        /// A cluster with a number of objects.
        case cluster(Int)
        case collection
    }

    let type: RealmValueType
    let place: Place
    let source: RealmFileSource
    /// The nesting depth of the leaf in collections that are mixed values.
    let depth: Int

    var reader: RealmNodeReader { source.pass.reader }

    func column(_ ref: UInt64) throws(RealmFileError) -> RealmFileColumn {
        try column(ref, reader.header(ref, "values"))
    }

    func column(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> RealmFileColumn {
        guard !header.isInner else {
            throw reader.damaged(Int(ref), "an inner node stands in the place of values")
        }
        let column = try values(ref, header)
        switch place {
        case .cluster(let count):
            guard column.count == count else {
                throw reader.damaged(
                    Int(ref), "there are \(column.count) values for \(count) objects")
            }
        case .collection:
            guard column.count <= RealmListTree.leafCountMax else {
                throw reader.damaged(Int(ref), "a part of a list has \(column.count) elements")
            }
        }
        return column
    }

    private func values(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> RealmFileColumn {
        // Checked before an array of that size is allocated: a node of width 0 can claim millions
        // of elements.
        guard header.count <= countMax else {
            throw reader.damaged(Int(ref), "a leaf of \(header.count) elements")
        }
        switch type.kind {
        case .int: return .int(try integers(ref, header))
        case .bool: return .bool(try bools(ref, header))
        case .float: return .float(try floats(ref, header))
        case .double: return .double(try doubles(ref, header))
        case .date: return .date(try dates(ref, header))
        case .decimal: return .decimal(try decimals(ref, header))
        case .objectID: return .objectID(try objectIDs(ref, header))
        case .uuid: return .uuid(try uuids(ref, header))
        case .link: return try links(ref, header)
        case .string: return .string(try texts(ref, header, ofStrings: true))
        case .data: return .data(try texts(ref, header, ofStrings: false))
        case .mixed: return .mixed(try mixed(ref, header))
        }
    }

    /// The maximum number of elements of a leaf: as many as bytes where values are runs of bytes,
    /// and one more if null has a value.
    private var countMax: Int {
        let count = RealmListTree.leafCountMax
        switch type.kind {
        case .objectID, .uuid: return count * 17
        case .int: return count + 1
        case .bool, .string, .data, .mixed, .date, .float, .double, .decimal, .link: return count
        }
    }

    func packed(
        _ ref: UInt64, _ header: RealmNodeHeader, _ what: String
    ) throws(RealmFileError) -> RealmNode {
        guard !header.hasRefs, header.isPacked else {
            throw reader.damaged(Int(ref), "\(what) are not integers")
        }
        return try reader.node(ref, header)
    }

    func blocks(
        _ ref: UInt64, _ header: RealmNodeHeader, widths: Set<Int>, _ what: String
    ) throws(RealmFileError) -> RealmNode {
        // A leaf that never had a value has no width yet.
        let isEmpty = header.count == 0
        guard !header.hasRefs, header.widthType == .bytes || isEmpty,
            widths.contains(header.width) || isEmpty
        else { throw reader.damaged(Int(ref), "\(what) have \(header.width) bytes each") }
        return try reader.node(ref, header)
    }

    func parts(
        _ ref: UInt64, _ header: RealmNodeHeader, count: Int, _ what: String
    ) throws(RealmFileError) -> RealmNode {
        guard header.hasRefs, header.isPacked, header.count >= count else {
            throw reader.damaged(Int(ref), "\(what) are not in \(count) nodes")
        }
        return try reader.node(ref, header)
    }
}
