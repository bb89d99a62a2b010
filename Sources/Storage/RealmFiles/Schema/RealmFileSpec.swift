/// The columns of a table, from its spec.
struct RealmFileSpec {
    private static let columnsMax = 1 << 16

    let keys: [RealmColumnKey]
    let types: RealmNode
    let names: RealmFileNames
    let attributes: RealmNode
    let enumerations: RealmNode?

    /// The number of columns that are properties. Backlinks follow them.
    var publicCount: Int { names.count }

    init(_ ref: UInt64, _ reader: RealmNodeReader) throws(RealmFileError) {
        let spec = try reader.refs(ref, "a spec")
        guard spec.count >= 6 else {
            throw reader.damaged(spec.offset, "a spec of \(spec.count) elements in place of 6")
        }
        types = try reader.integers(
            try reader.ref(spec, 0, "types"), "the types of columns")
        guard types.count <= Self.columnsMax else {
            throw reader.damaged(types.offset, "a table of \(types.count) columns")
        }
        attributes = try reader.integers(
            try reader.ref(spec, 2, "attributes"), count: types.count, "the attributes of columns")
        let keys = try reader.integers(
            try reader.ref(spec, 5, "column keys"), count: types.count, "the keys of columns")
        self.keys = keys.integers().map { RealmColumnKey(rawValue: $0) }
        names = try RealmFileNames(
            try reader.ref(spec, 1, "names"), "the names of columns", reader)
        let publicCount = self.keys.prefix { !$0.isBacklink }.count
        guard names.count == publicCount, self.keys[publicCount...].allSatisfy(\.isBacklink) else {
            throw reader.damaged(
                spec.offset, "there are \(names.count) names for \(publicCount) columns")
        }
        if case .ref(let ref) = spec.element(at: 4) {
            enumerations = try reader.refs(ref, "the enumerations of columns")
        } else {
            enumerations = nil
        }
    }
}
