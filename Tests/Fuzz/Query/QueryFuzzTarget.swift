import Foundation
import Storage

// Safety: libFuzzer lends the input for the length of the call, which copies it.

/// Reads the input as a query in text over a class with a property of every kind, and evaluates it
/// over a few rows.
///
/// The first two bytes choose the arguments.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuery(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 2 else { return 0 }
    let text = String(
        decoding: UnsafeRawBufferPointer(start: data + 2, count: size - 2), as: UTF8.self)
    let arguments = (0..<Int(data[0] & 7)).map { number in
        FuzzRows.values[(Int(data[1]) + number * 5) % FuzzRows.values.count]
    }
    let rows = FuzzRows.shared
    do throws(RealmError) {
        let parsed = try QueryParser.parse(
            text, QueryArguments(positional: arguments), rows, FuzzRows.row)
        let filter = try rows.bind(parsed.condition, in: FuzzRows.row)
        let query = ResultsQuery(all: FuzzRows.row).adding(.filter(filter))
        let found = query.evaluate(in: rows.tree.view)
        precondition(found.count == query.count(in: rows.tree.view))
    } catch {
        guard case .invalidQuery(let message, let position?) = error else {
            preconditionFailure("No place: \(error)")
        }
        precondition(position <= text.unicodeScalars.count && message.hasSuffix("^"))
    }
    return 0
}

/// Rows with a property of every kind, alone, optional and in collections.
final class FuzzRows: QuerySchema {
    static let shared = FuzzRows()
    static let row = ClassID(0)

    let storeID = UUID()
    let store: StoreSchema
    // Unsafe: libFuzzer calls one thread only.
    nonisolated(unsafe) let tree: WorkingTree

    // Unsafe: values that nobody changes.
    nonisolated(unsafe) static let values: [Any?] = [
        nil, 3, -1, 2.5, Double.nan, "a", "int.@count", "links.int", "link", "", true, Int.min,
        Date.distantPast, Data([1, 2]), [1, 2], ["a", nil] as [Any?], 0..<Int.max, ["k": 1],
    ]

    private init() {
        let kinds: [(String, ValueKind)] = [
            ("bool", .bool), ("int", .int), ("float", .float), ("double", .double),
            ("string", .string), ("data", .data), ("date", .date), ("uuid", .uuid),
            ("objectID", .objectID), ("decimal", .decimal), ("mixed", .mixed), ("link", .link),
        ]
        var columns: [ColumnSchema] = []
        for (name, kind) in kinds {
            let target = kind == .link ? Self.row : nil
            let isNullable = kind == .link || kind == .mixed
            for (suffix, container) in [
                ("", Container.none), ("s", .list), ("Set", .set), ("Map", .map),
            ] {
                columns.append(
                    ColumnSchema(
                        name: name + suffix, kind: kind, container: container,
                        isNullable: isNullable, target: target))
            }
        }
        columns.append(ColumnSchema(name: "maybe", kind: .int, isNullable: true))
        columns.append(ColumnSchema(name: "indexed", kind: .string, isIndexed: true))
        store = StoreSchema(classes: [ClassSchema(name: "Row", columns: columns)])
        tree = WorkingTree(schema: store, account: NodeAccount())
        for number in 0..<5 {
            let key = tree.createRow(Self.row)
            func set(_ name: String, _ value: StoredValue) {
                guard let column = store[Self.row].column(named: name) else { return }
                tree.set(value, Self.row, key, column)
            }
            set("int", .int(Int64(number)))
            set("string", .string(number % 2 == 0 ? "abc" : "\u{E9}"))
            set("double", .double(number == 3 ? .nan : Double(number) / 2))
            set("link", number == 0 ? .null : .link(RowKey(Int64(number - 1))))
            set("mixed", .list(NestedID(1), [.int(1), .string("a")]))
            if let links = store[Self.row].column(named: "links") {
                tree.listAppend(
                    contentsOf: (0..<number).map { .link(RowKey(Int64($0))) }, Self.row, key, links)
            }
        }
    }

    func property(_ name: String, of classID: ClassID) -> QueryProperty? {
        if name == "backs", let link = store[classID].column(named: "link") {
            return .inverse(origin: classID, link)
        }
        return store[classID].column(named: name).map { .column($0) }
    }
}
