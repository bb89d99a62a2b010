import Foundation

@testable import Storage

/// The schema of the random tests of the tree: one column of every kind.
enum ModelSchema {
    static let item = ClassID(0)
    static let part = ClassID(1)
    static let number = 0
    static let title = 1
    static let score = 2
    static let isActive = 3
    static let note = 4
    static let friend = 5
    static let children = 6
    static let tags = 7
    static let extras = 8
    static let uuid = 9
    static let owned = 10

    static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int, isIndexed: true),
                ColumnSchema(name: "title", kind: .string, isIndexed: true),
                ColumnSchema(name: "score", kind: .double, isNullable: true),
                ColumnSchema(name: "isActive", kind: .bool),
                ColumnSchema(name: "note", kind: .string, isNullable: true, isIndexed: true),
                ColumnSchema(name: "friend", kind: .link, target: item),
                ColumnSchema(name: "children", kind: .link, container: .list, target: item),
                ColumnSchema(name: "tags", kind: .string, container: .set),
                ColumnSchema(name: "extras", kind: .mixed, container: .map),
                ColumnSchema(name: "uuid", kind: .uuid, isIndexed: true),
                ColumnSchema(name: "owned", kind: .link, target: part),
            ],
            primaryKey: ColumnID(number)),
        ClassSchema(
            name: "Part", isEmbedded: true,
            columns: [ColumnSchema(name: "size", kind: .int, isNullable: true)]),
    ])
}

/// A row as a plain value.
struct ModelRow: Equatable {
    var number: Int64 = 0
    var title = ""
    var score: Double?
    var isActive = false
    var note: String?
    var friend: RowKey?
    var children: [RowKey] = []
    var tags: Set<String> = []
    var extras: [String: StoredValue] = [:]
    var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var size: Int64?

    init() {}

    /// The values of the row in a tree.
    init(_ view: TreeView, _ location: RowLocation) {
        typealias S = ModelSchema
        let (cluster, slot) = (location.cluster, location.slot)
        let columns = S.schema[S.item].columns
        number = cluster.int(S.number, slot)
        title = cluster.string(S.title, slot)
        score = cluster.isNull(S.score, slot) ? nil : cluster.double(S.score, slot)
        isActive = cluster.bool(S.isActive, slot)
        note = cluster.isNull(S.note, slot) ? nil : cluster.string(S.note, slot)
        friend = cluster.link(S.friend, slot)
        cluster.sequence(S.children, slot, columns[S.children]).forEachLink { children.append($0) }
        cluster.sequence(S.tags, slot, columns[S.tags]).forEach {
            if case .string(let tag) = $0 { tags.insert(tag) }
        }
        let map = cluster.map(S.extras, slot, columns[S.extras])
        for index in 0..<map.count { extras[map.keys.string(index)] = map.values[index] }
        uuid = cluster.uuid(S.uuid, slot)
        if let part = cluster.link(S.owned, slot),
            let place = view.classView(S.part).attach(part)
        {
            size = place.cluster.isNull(0, place.slot) ? -1 : place.cluster.int(0, place.slot)
        }
    }
}
