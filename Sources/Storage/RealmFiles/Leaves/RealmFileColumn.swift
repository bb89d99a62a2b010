/// The values of one property in a run of objects, or a run of the elements of a collection.
///
/// Values of a fixed size are decoded at once. Text and data are decoded on demand, since there may
/// be gigabytes of them.
package enum RealmFileColumn: Sendable {
    case int([Int64?])
    case bool([Bool?])
    case float([UInt32?])
    case double([UInt64?])
    case date([RealmFileDate?])
    case decimal([RealmFileDecimal?])
    case objectID([RealmFileObjectID?])
    case uuid([RealmFileUUID?])
    /// Keys of objects of one table.
    case link([Int64?], table: RealmFileTableKey)
    case string(RealmFileTexts)
    case data(RealmFileTexts)
    case mixed(RealmFileMixedValues)
    case collection(RealmFileCollections)
    /// A number of values that cannot be read, which was reported.
    case unreadable(Int)

    /// The number of values.
    package var count: Int {
        switch self {
        case .int(let values): values.count
        case .bool(let values): values.count
        case .float(let values): values.count
        case .double(let values): values.count
        case .date(let values): values.count
        case .decimal(let values): values.count
        case .objectID(let values): values.count
        case .uuid(let values): values.count
        case .link(let values, _): values.count
        case .string(let texts), .data(let texts): texts.count
        case .mixed(let values): values.count
        case .collection(let collections): collections.count
        case .unreadable(let count): count
        }
    }

    /// The value at an index below the count. Damage is an error even in a salvage; batches and
    /// runs report it.
    package func value(at index: Int) throws(RealmFileError) -> RealmFileValue {
        switch self {
        case .int(let values): return values[index].map { .int($0) } ?? .null
        case .bool(let values): return values[index].map { .bool($0) } ?? .null
        case .float(let values): return values[index].map { .float(bits: $0) } ?? .null
        case .double(let values): return values[index].map { .double(bits: $0) } ?? .null
        case .date(let values): return values[index].map { .date($0) } ?? .null
        case .decimal(let values): return values[index].map { .decimal($0) } ?? .null
        case .objectID(let values): return values[index].map { .objectID($0) } ?? .null
        case .uuid(let values): return values[index].map { .uuid($0) } ?? .null
        case .link(let keys, let table):
            return keys[index].map { .link(RealmFileLink(table: table, key: $0)) } ?? .null
        case .string(let texts): return try texts.string(at: index)
        case .data(let texts): return try texts.bytes(at: index).map { .data(Array($0)) } ?? .null
        case .mixed(let values): return try values.value(at: index)
        case .collection(let collections): return .collection(collections[index])
        case .unreadable: return .null
        }
    }

    /// Bytes of the file that this retains.
    var heldBytes: Int {
        switch self {
        case .string(let texts), .data(let texts): texts.heldBytes
        case .mixed(let values): values.heldBytes
        default: 0
        }
    }
}
