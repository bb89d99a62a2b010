import Foundation
import RealmActors
import Storage
import StorageHarness

/// A class with an index of every kind. For a new kind of index, add a property here, a value in
/// ``FreightRow`` and conditions in ``FreightClause``.
final class Freight: Object, IndexedModel {
    /// Ascends with the order of creation.
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var code: Int
    @Persisted(indexed: true) var name: String?
    @Persisted var weight: Double?
    @Persisted(indexed: .fullText) var note: String
    @Persisted(indexed: .fullText) var remark: String?
    @Persisted var port: String
    @Persisted(indexed: true) var due: Date?
    @Persisted var seal: Int?
    @Persisted var next: Freight?
    @Persisted var tags: List<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var title: String?
    @Persisted var place: FreightPlace?
    @Persisted var stamp: Data?
    @Persisted var parts: List<Freight>
    @Persisted(indexed: true) var extra: AnyRealmValue
    @Persisted(originProperty: "next") var previous: LinkingObjects<Freight>

    static var indexes: [Index<Freight>] {
        [
            Index(\.title, collation: .people),
            Index(.ascending(\.port), .descending(\.title, collation: .people)),
            Index(.ascending(\.port), .descending(\.due)),
            Index(.descending(\.code), .ascending(\.weight)),
            Index(unique: \.port, \.seal),
        ]
    }
}

/// The location of a freight.
final class FreightPlace: EmbeddedObject, IndexedModel {
    @Persisted var latitude: Double
    @Persisted var longitude: Double

    static var indexes: [Index<FreightPlace>] { [.places] }
}

/// A freight as plain values.
struct FreightRow: Sendable, Equatable {
    var id: Int
    var code = 0
    var name: String?
    var weight: Double?
    var note = ""
    var remark: String?
    var port = ""
    /// Seconds since the reference date.
    var due: Double?
    var seal: Int?
    var next: Int?
    var tags: [String] = []
    var counts: [String: Int] = [:]
    var title: String?
    var place: GeoPoint?
    /// ASCII, so that it is valid text as well.
    var stamp: Data?
    var parts: [Int] = []
    /// Null, a number or a text.
    var extra = StoredValue.null

    /// Titles in natural order; those that are equal in it form a group.
    static let titles: [[String]] = [
        [""], ["2"], ["a"], ["'a'"], ["A"], ["\u{E1}", "a\u{301}"], ["\u{C1}", "A\u{301}"], ["a b"],
        ["aardvark"], ["ab"], ["Ab"], ["o"], ["O"], ["\u{F8}"], ["Zebra and more than eight bytes"],
        ["Zebra and more than eight letters"], ["\u{3A9}"],
    ]

    /// The rank of each title in this order.
    private static let ranks: [String: Int64] = Dictionary(
        titles.enumerated().flatMap { rank, titles in titles.map { ($0, Int64(rank)) } },
        uniquingKeysWith: { first, _ in first })

    /// The columns by which rows can be sorted, and made distinct.
    static let sortable = ["id", "code", "name", "weight", "port", "due", "seal"]

    /// The value of one of these columns.
    func value(_ column: String) -> StoredValue {
        switch column {
        case "id": .int(Int64(id))
        case "code": .int(Int64(code))
        case "name": name.map { .string($0) } ?? .null
        case "weight": weight.map { .double($0) } ?? .null
        case "port": .string(port)
        case "due": due.map { .date($0) } ?? .null
        case "seal": seal.map { .int(Int64($0)) } ?? .null
        case "title": title.flatMap { Self.ranks[$0] }.map { .int($0) } ?? .null
        case "extra": extra
        default: preconditionFailure("no column \(column)")
        }
    }

    /// The value of one of the text columns.
    func text(_ column: String) -> String? {
        switch column {
        case "name": name
        case "port": port
        case "title": title
        case "remark": remark
        default: preconditionFailure("no text \(column)")
        }
    }

    /// The stamp as a text.
    var stampText: String? { stamp.map { String(decoding: $0, as: UTF8.self) } }

    /// The words of one of the texts with a full-text index; nil if there is no text.
    func words(_ column: String) -> [String]? {
        let text = column == "remark" ? remark : note
        return text?.lowercased().split(separator: " ").map(String.init)
    }

    /// Assigns the same values to an object.
    func fill(_ freight: Freight, _ tx: WriteTransaction) {
        freight.code = code
        freight.name = name
        freight.weight = weight
        freight.note = note
        freight.remark = remark
        freight.port = port
        freight.due = due.map { Date(timeIntervalSinceReferenceDate: $0) }
        freight.seal = seal
        freight.next = next.flatMap { tx.object(Freight.self, forPrimaryKey: $0) }
        freight.title = title
        fillPlace(of: freight)
        freight.tags.removeAll()
        freight.tags.append(objectsIn: tags)
        for key in Set(freight.counts.keys).union(counts.keys) { freight.counts[key] = counts[key] }
        freight.stamp = stamp
        freight.parts.removeAll()
        freight.parts.append(
            objectsIn: parts.compactMap { tx.object(Freight.self, forPrimaryKey: $0) })
        switch extra {
        case .int(let number): freight.extra = .int(Int(number))
        case .double(let number): freight.extra = .double(number)
        case .string(let text): freight.extra = .string(text)
        default: freight.extra = .none
        }
    }

    /// Usually modifies the existing location.
    private func fillPlace(of freight: Freight) {
        guard let place else {
            freight.place = nil
            return
        }
        let old = freight.place ?? FreightPlace()
        (old.latitude, old.longitude) = (place.latitude, place.longitude)
        if freight.place == nil { freight.place = old }
    }
}

extension StoredValue {
    /// The text in a value of any type; nil if it has none.
    var heldText: String? { if case .string(let text) = self { text } else { nil } }
}

/// A step of a transaction.
enum FreightStep: Sendable {
    case create(FreightRow)
    case update(FreightRow)
    case delete(Int)

    func run(_ tx: WriteTransaction) throws {
        switch self {
        case .create(let row):
            row.fill(try tx.create(Freight.self, value: ["id": row.id]), tx)
        case .update(let row):
            if let freight = tx.object(Freight.self, forPrimaryKey: row.id) {
                row.fill(freight, tx)
            }
        case .delete(let id):
            if let freight = tx.object(Freight.self, forPrimaryKey: id) { try tx.delete(freight) }
        }
    }
}

/// All freights, as plain values.
struct FreightRows: Sendable {
    private(set) var rows: [Int: FreightRow] = [:]

    /// In the order of creation.
    var all: [FreightRow] { rows.keys.sorted().compactMap { rows[$0] } }

    subscript(id: Int?) -> FreightRow? { id.flatMap { rows[$0] } }

    mutating func apply(_ step: FreightStep) {
        switch step {
        case .create(let row), .update(let row): rows[row.id] = row
        case .delete(let id):
            rows[id] = nil
            for other in rows.keys where rows[other]?.next == id { rows[other]?.next = nil }
            for other in rows.keys { rows[other]?.parts.removeAll { $0 == id } }
        }
    }

    /// Whether two rows have equal values in the unique index.
    var hasDuplicates: Bool {
        var seen: Set<String> = []
        return rows.values.contains { row in
            row.seal.map { !seen.insert("\($0) \(row.port)").inserted } ?? false
        }
    }
}

extension SeededGenerator {
    mutating func one<T>(_ values: [T]) -> T { values[next(below: values.count)] }

    mutating func freightWord() -> String {
        one(["red", "reed", "river", "Rust", "iron", "ironwork", "tea", "t"])
    }

    /// A random point, often one of a few, or at an edge of the map.
    mutating func freightPoint() -> GeoPoint {
        let place: (latitude: Double, longitude: Double) =
            switch next(below: 4) {
            case 0: (Double(46 + next(below: 3)), 8.5)
            case 1: (oneIn(2) ? 90 : Double(next(below: 9) - 4), oneIn(2) ? 180 : -180)
            case 2: (46 + Double(next(below: 2000)) / 1000, 8 + Double(next(below: 2000)) / 1000)
            default: (Double(next(below: 1800)) / 10 - 90, Double(next(below: 3600)) / 10 - 180)
            }
        return GeoPoint(latitude: place.latitude, longitude: place.longitude).unsafelyUnwrapped
    }

    mutating func freight(_ id: Int, among ids: [Int]) -> FreightRow {
        var row = FreightRow(id: id)
        row.code = next(below: 12)
        row.name = oneIn(4) ? nil : freightWord()
        // A common prefix longer than the part by which groups are sorted at a time.
        if oneIn(6), let name = row.name { row.name = String(repeating: "red", count: 25) + name }
        row.weight = oneIn(4) ? nil : Double(next(below: 20)) / 2
        row.note = (0..<next(below: 5)).map { _ in freightWord() }.joined(separator: " ")
        row.remark =
            oneIn(3)
            ? nil : (0..<next(below: 4)).map { _ in freightWord() }.joined(separator: " ")
        row.port = one(["aa", "ab", "b", "Bergen and Aalesund"])
        row.due = oneIn(4) ? nil : Double(next(below: 60)) * 20 * 86_400
        if let day = row.due, oneIn(2) { row.due = day + Double(next(below: 86_400)) }
        row.seal = oneIn(2) ? nil : next(below: 400)
        row.next = ids.isEmpty || oneIn(3) ? nil : one(ids)
        row.tags = (0..<next(below: 3)).map { _ in freightWord() }
        for key in ["x", "y"] where oneIn(2) { row.counts[key] = next(below: 6) }
        row.title = oneIn(5) ? nil : one(one(FreightRow.titles))
        row.place = oneIn(5) ? nil : freightPoint()
        row.stamp = oneIn(3) ? nil : Data(freightWord().utf8)
        row.parts = ids.isEmpty ? [] : Set((0..<next(below: 4)).map { _ in one(ids) }).sorted()
        row.extra = freightExtra()
        return row
    }

    private mutating func freightExtra() -> StoredValue {
        switch next(below: 4) {
        case 0: .null
        case 1: .int(Int64(next(below: 6)))
        case 2: .double(Double(next(below: 12)) / 2)
        default: .string(freightWord())
        }
    }

    mutating func freightStep(_ rows: FreightRows, nextID: inout Int) -> FreightStep {
        let ids = rows.rows.keys.sorted()
        if ids.isEmpty || oneIn(3) {
            nextID += 1
            return .create(freight(nextID, among: ids))
        }
        let id = one(ids)
        if oneIn(5) { return .delete(id) }
        var row = freight(id, among: ids)
        // Some updates change little.
        if let old = rows[id], oneIn(2) {
            let new = row
            row = old
            row.code = new.code
            if oneIn(2) { row.weight = new.weight }
            if oneIn(2) { row.note = new.note }
            if oneIn(3) { row.remark = new.remark }
            if oneIn(3) { row.tags = new.tags }
            if oneIn(3) { row.title = new.title }
            if oneIn(3) { row.place = new.place }
            if oneIn(3) { row.parts = new.parts }
            if oneIn(3) { row.extra = new.extra }
        }
        return .update(row)
    }
}
