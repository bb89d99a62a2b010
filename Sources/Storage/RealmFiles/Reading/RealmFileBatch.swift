/// The objects of one leaf, at most 256, in ascending order of their keys.
package struct RealmFileBatch: Sendable {
    package let keys: [Int64]
    /// The properties that the columns are of.
    package let properties: [RealmFileProperty]
    /// Values in the order of the keys, for each property.
    package let columns: [RealmFileColumn]

    let className: String
    /// Where the leaf begins.
    let offset: Int
    let pass: RealmFilePass

    /// How many objects there are.
    package var count: Int { keys.count }

    /// The value of a property of the object at an index. In a salvage, what is damaged is null and
    /// in the report.
    package func value(
        of column: Int, at row: Int
    ) throws(RealmFileError) -> RealmFileValue {
        do throws(RealmFileError) {
            let value = try columns[column].value(at: row)
            guard case .collection(let collection) = value else { return value }
            return .collection(collection.of(keys[row]))
        } catch {
            try pass.skip(
                error, className: className, property: properties[column].name,
                keys: keys[row]...keys[row])
            return .null
        }
    }

    /// Leaves out a value that its property cannot have, in a salvage; else it is an error.
    func leaveOut(_ column: Int, at row: Int, _ reason: String) throws(RealmFileError) {
        try pass.skip(
            pass.reader.damaged(offset, reason), className: className,
            property: properties[column].name, keys: keys[row]...keys[row])
    }
}

extension RealmFileCollection {
    /// The same, which reports damage as that of one object.
    fileprivate func of(_ key: Int64) -> RealmFileCollection {
        RealmFileCollection(
            kind: kind, element: element, hasIntegerKeys: hasIntegerKeys, root: root, depth: depth,
            source: source.of(key))
    }
}
