import Foundation
import Testing

@testable import Storage

/// Compares the rows of a store with the objects of the `.realm` file that they were imported from.
struct RealmFileComparison {
    /// The rows of the objects of each table, by their keys.
    typealias Rows = [RealmFileTableKey: [Int64: Int64]]

    private let file: RealmFile
    private let rows: Rows
    /// The keys of the rows.
    private let keys: Rows
    private let counts: [Int]

    /// `bases`: the first row of each class, 0 if there is none. `counts`: how many rows the
    /// classes had before.
    init(_ file: RealmFile, bases: [RealmFileTableKey: Int64], counts: [Int] = []) throws {
        self.file = file
        self.counts = counts
        var rows: Rows = [:]
        for entry in file.classes {
            var numbers: [Int64: Int64] = [:]
            var cursor = file.objects(of: entry, [])
            while let batch = try cursor.next() {
                for key in batch.keys {
                    numbers[key] = bases[entry.key, default: 0] + Int64(numbers.count)
                }
            }
            rows[entry.key] = numbers
        }
        self.rows = rows
        keys = rows.mapValues { numbers in
            Dictionary(uniqueKeysWithValues: numbers.map { ($0.value, $0.key) })
        }
    }

    func compare(with tree: WorkingTree) throws {
        for (number, entry) in file.classes.enumerated() {
            try compare(entry, ClassID(number), tree)
        }
    }

    /// The keys of the objects that link to an object by a property, written `Class.property`, in
    /// order.
    func backlinks(
        to key: Int64, of entry: RealmFileClass, from origin: String, _ tree: WorkingTree
    ) throws -> [Int64] {
        let names = origin.split(separator: ".", maxSplits: 1).map { String($0) }
        let source = try #require(file.class(named: names[0]))
        let (id, target) = (tree.schema.classID(named: names[0]), rows[entry.key]?[key])
        let column = try tree.schema[#require(id)].column(named: names[1])
        let range = tree.view.backlinks(
            to: RowKey(try #require(target)), origin: try #require(id),
            column: try #require(column))
        var found: [Int64] = []
        range.forEach { found.append($0.rawValue) }
        return try found.map { try #require(keys[source.key]?[$0]) }.sorted()
    }

    private func compare(
        _ entry: RealmFileClass, _ id: ClassID, _ tree: WorkingTree
    ) throws {
        let schema = tree.schema[id]
        var (count, left) = (0, 0)
        var cursor = file.objects(of: entry)
        while let batch = try cursor.next() {
            for row in 0..<batch.count {
                let key = RowKey(try #require(rows[entry.key]?[batch.keys[row]]))
                guard let found = tree.locate(id, key) else {
                    #expect(entry.kind == .embedded, "an object of \(entry.name) is missing")
                    left += 1
                    continue
                }
                count += 1
                for column in schema.columns.indices {
                    let stored = ColumnContents(found, ColumnID(column), schema.columns[column])
                    let wanted = try WholeValue(batch.value(of: column, at: row))
                    #expect(
                        Self.matches(stored, wanted, schema.columns[column].container, rows),
                        "\(entry.name).\(schema.columns[column].name) of \(key): \(stored)")
                }
            }
        }
        let before = counts.isEmpty ? 0 : counts[id.rawValue]
        #expect(tree.count(id) == before + count)
        #expect(count + left == entry.count)
    }

    private static func matches(
        _ stored: ColumnContents, _ wanted: WholeValue, _ container: Container, _ rows: Rows
    ) -> Bool {
        switch (stored, wanted) {
        case (.value(let value), _): matches(value, wanted, rows)
        case (.elements(let elements), .list(let all)):
            elements.count == all.count && zip(elements, all).allSatisfy { matches($0, $1, rows) }
        case (.elements(let elements), .set(let all)):
            // Dates that differ by less than a microsecond may become equal.
            all.allSatisfy { one in elements.contains { matches($0, one, rows) } }
                && elements.allSatisfy { element in all.contains { matches(element, $0, rows) } }
        case (.entries(let keys, let values), .dictionary(let entries)):
            keys.map { Array($0.utf8) }
                == entries.map { String(decoding: $0.key, as: UTF8.self) }
                .map { Array($0.utf8) }
                && zip(values, entries).allSatisfy { matches($0, $1.value, rows) }
        default: false
        }
    }

    private static func matches(
        _ stored: StoredValue, _ wanted: WholeValue, _ rows: Rows
    ) -> Bool {
        switch (stored, wanted) {
        case (.list(_, let elements), .list(let all)):
            elements.count == all.count && zip(elements, all).allSatisfy { matches($0, $1, rows) }
        case (.dictionary(_, let entries), .dictionary(let all)):
            entries.count == all.count
                && zip(entries, all).allSatisfy {
                    Array($0.key.utf8) == $1.key && matches($0.value, $1.value, rows)
                }
        case (_, .single(let value)): matches(stored, value, rows)
        default: false
        }
    }

    private static func matches(
        _ stored: StoredValue, _ wanted: RealmFileValue, _ rows: Rows
    ) -> Bool {
        switch (stored, wanted) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.float(let a), .float(let bits)): a.bitPattern == bits
        case (.double(let a), .double(let bits)): a.bitPattern == bits
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.string(let a), .malformedString(let bytes)):
            a == String(decoding: bytes, as: UTF8.self)
        case (.data(let a), .data(let b)): Array(a) == b
        case (.date(let a), .date(let date)):
            a == Double(Int128(date.seconds) - 978_307_200) + Double(date.nanoseconds) / 1e9
        case (.decimal(let a), .decimal(let b)): a.bits == UInt128(b.high) << 64 | UInt128(b.low)
        case (.objectID(let a), .objectID(let b)): Self.bytes(of: a) == b.bytes
        case (.uuid(let a), .uuid(let b)): Self.bytes(of: a.uuid) == b.bytes
        case (.link(let a), .link(let b)), (.object(_, let a), .link(let b)):
            a.rawValue == rows[b.table]?[b.key]
        default: false
        }
    }

    private static func bytes<Value>(of value: Value) -> [UInt8] {
        // Safe: copied while they are lent.
        withUnsafeBytes(of: value) { Array($0) }
    }
}
