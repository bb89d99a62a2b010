import Foundation
import Hummingbird
import RealmActors

/// Which rows the page requests.
struct BrowseQuery {
    let className: String
    let text: String
    let sort: String
    let isDescending: Bool
    let after: String
    let limit: Int
    let explains: Bool

    init(_ request: Request) {
        let parameters = request.uri.queryParameters
        func value(_ name: Substring) -> String { parameters[name].map(String.init) ?? "" }
        className = value("class")
        text = value("query")
        sort = value("sort")
        isDescending = value("descending") == "true"
        after = value("after")
        limit = min(max(Int(value("limit")) ?? 50, 1), 500)
        explains = value("explain") == "true"
    }
}

/// A value as the page shows it: its text and, where it is a link, the object that it leads to.
struct BrowseValue: Encodable {
    let text: String
    let links: [BrowseLink]?

    /// - Parameters:
    ///   - limit: how many links of a collection are listed.
    ///   - isWhole: whether a long text is not cut.
    init(_ value: FrozenValue, limit: Int = 10, isWhole: Bool = false) {
        if case .string(let whole) = value, isWhole {
            text = Cell.visible(whole)
        } else {
            let shown = Cell.visible(Cell.text(value))
            text = isWhole ? shown : shown.cut
        }
        let objects = Self.objects(value, limit)
        links = objects.isEmpty ? nil : objects
    }

    private static func objects(_ value: FrozenValue, _ limit: Int) -> [BrowseLink] {
        switch value {
        case .object(let object): [BrowseLink(object)].compactMap { $0 }
        case .list(let values): values.prefix(limit).flatMap { objects($0, limit) }
        case .dictionary(let entries):
            entries.sorted { $0.key < $1.key }.prefix(limit).flatMap { objects($0.value, limit) }
        default: []
        }
    }
}

/// An object that something leads to.
struct BrowseLink: Encodable {
    let ref: String
    let className: String
    let text: String

    init?<Model: ObjectBase>(_ object: Frozen<Model>) {
        guard let ref = try? ReferenceText.text(object.reference) else { return nil }
        self.ref = ref
        let (name, key) = object.withObject {
            ($0.objectSchema.className, $0.objectSchema.primaryKeyProperty?.name)
        }
        className = name
        let value = key.flatMap { (key: String) -> FrozenValue? in try? object[key] }
        text = value.map { Cell.visible(Cell.text($0)).cut } ?? "#\(object.reference.row)"
    }
}

extension String {
    /// The beginning of a text that is longer than a row shows. A page of whole ones could be
    /// larger than a browser takes.
    var cut: String {
        let shown = 200
        guard let end = unicodeScalars.index(startIndex, offsetBy: shown, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return self[..<end] + "..."
    }
}

/// A page of the objects of a class.
struct BrowseRows: Encodable {
    struct Row: Encodable {
        let ref: String
        let cells: [BrowseValue]
    }

    let version: UInt64
    let count: Int
    let rows: [Row]
    let next: PageCursor?
    let explanation: String?

    init(_ query: BrowseQuery, _ snapshot: Snapshot) throws {
        guard let type = snapshot.schema[query.className] else {
            throw ToolError(.notFound, "The store has no class '\(query.className)'.")
        }
        var objects = try snapshot.dynamicObjects(query.className)
        if !query.text.isEmpty { objects = try objects.filter(query.text) }
        if !query.sort.isEmpty {
            objects = try objects.sorted(by: [
                SortDescriptor(keyPath: query.sort, ascending: !query.isDescending)
            ])
        }
        let cursor = PageCursor(query.after)
        if cursor == nil, !query.after.isEmpty {
            throw ToolError(.badInput, "The page cursor is invalid.")
        }
        let page = try objects.page(after: cursor, limit: query.limit)
        version = snapshot.version.rawValue
        count = objects.count
        rows = try page.objects.map { object in
            Row(
                ref: try ReferenceText.text(object.reference),
                cells: try type.properties.map { BrowseValue(try object[$0.name]) })
        }
        next = page.next
        explanation = query.explains ? objects.explain() : nil
        try snapshot.requireTrust()
    }
}

/// References as the page gives them back.
enum ReferenceText {
    static func text<Model: ObjectBase>(_ reference: ObjectReference<Model>) throws -> String {
        try JSONText.encoder().encode(reference).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func reference(_ text: String) throws -> ObjectReference<DynamicObject> {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding),
            let reference = try? JSONDecoder().decode(
                ObjectReference<DynamicObject>.self, from: data)
        else { throw ToolError(.badInput, "'\(text)' is not a reference to an object.") }
        return reference
    }
}
