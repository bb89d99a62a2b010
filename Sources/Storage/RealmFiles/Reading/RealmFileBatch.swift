/// The objects of one leaf, at most 256, in ascending order of their keys.
package struct RealmFileBatch: Sendable {
    package let keys: [Int64]
    /// The properties of the columns.
    package let properties: [RealmFileProperty]
    /// Values in the order of the keys, for each property.
    package let columns: [RealmFileColumn]

    let className: String
    /// The offset of the leaf.
    let offset: Int
    let pass: RealmFilePass

    /// The number of objects.
    package var count: Int { keys.count }

    /// The value of a property of the object at an index. In a salvage, damaged values are null and
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

    /// Skips a value that its property cannot have, in a salvage; otherwise it is an error.
    func omit(_ column: Int, at row: Int, _ reason: String) throws(RealmFileError) {
        try pass.skip(
            pass.reader.damaged(offset, reason), className: className,
            property: properties[column].name, keys: keys[row]...keys[row])
    }
}

extension RealmFileCollection {
    /// The same, with damage reported for one object.
    fileprivate func of(_ key: Int64) -> RealmFileCollection {
        RealmFileCollection(
            kind: kind, element: element, hasIntegerKeys: hasIntegerKeys, root: root, depth: depth,
            source: source.of(key))
    }
}
