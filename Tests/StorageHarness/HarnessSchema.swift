package import Storage

/// The schema that the crash tests work on: one class with a column of every kind that is stored in
/// its own way. Migrations widen it by a column at a time, and turn the index of texts from one of
/// values to one of words and back.
package enum HarnessSchema {
    package static let item = ClassID(0)

    enum Column {
        static let number = 0
        static let twin = 1
        static let text = 2
        static let score = 3
        static let friend = 4
        static let children = 5
        static let tags = 6
        static let extras = 7
        /// The first of those that migrations add; before them stand indexes of several columns.
        static let added = 12
    }

    /// Widths that are used: 0 is a store that was just made, 1 the first schema, and each one more
    /// a column more.
    package static let widthMax = 4

    package static func schema(width: Int) -> StoreSchema {
        guard width > 0 else { return StoreSchema() }
        var columns = [
            ColumnSchema(name: "number", kind: .int, isIndexed: true),
            ColumnSchema(name: "twin", kind: .int, isIndexed: true),
            ColumnSchema(
                name: "text", kind: .string, isNullable: true, isIndexed: !width.isMultiple(of: 2),
                isFullText: width.isMultiple(of: 2)),
            ColumnSchema(name: "score", kind: .double, isNullable: true),
            ColumnSchema(name: "friend", kind: .link, target: item),
            ColumnSchema(name: "children", kind: .link, container: .list, target: item),
            ColumnSchema(name: "tags", kind: .string, container: .set),
            ColumnSchema(name: "extras", kind: .mixed, container: .map),
        ]
        columns += indexes(of: columns)
        for number in 1..<width {
            columns.append(ColumnSchema(name: "added\(number)", kind: .int, isIndexed: true))
        }
        return StoreSchema(classes: [
            ClassSchema(name: "Item", columns: columns, primaryKey: ColumnID(Column.number))
        ])
    }

    /// Of columns of which one descends, a unique one, and one of places, of which a column says
    /// both the latitude and the longitude, and one in the order of people.
    private static func indexes(of columns: [ColumnSchema]) -> [ColumnSchema] {
        var ordered = IndexParts(isUnique: false)
        for column in [Column.twin, Column.text, Column.score] {
            ordered.append(
                ColumnID(column), columns[column], isDescending: column == Column.text)
        }
        var unique = IndexParts(isUnique: true)
        for column in [Column.number, Column.twin] {
            unique.append(ColumnID(column), columns[column], isDescending: false)
        }
        var places = IndexParts(isOfPlaces: true)
        for _ in 0..<2 {
            places.append(
                ColumnID(Column.score), columns[Column.score], isDescending: false)
        }
        var collated = IndexParts()
        collated.append(
            ColumnID(Column.text), columns[Column.text], isDescending: false, isCollated: true)
        return [ordered, unique, places, collated].map { ColumnSchema($0) }
    }
}
