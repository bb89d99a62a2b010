import Foundation
import RealmActors
import Storage
import StorageHarness

/// A condition in each of its equivalent forms.
struct FreightForm: Sendable {
    let clause: FreightClause
    let typed: @Sendable (Query<Freight>) -> Query<Bool>
    var predicate: Predicate<Freight>?

    init(
        _ clause: FreightClause, _ typed: @escaping @Sendable (Query<Freight>) -> Query<Bool>,
        _ predicate: Predicate<Freight>? = nil
    ) {
        (self.clause, self.typed, self.predicate) = (clause, typed, predicate)
    }

    /// Throws unless each of the forms has the results of the condition on plain values.
    func check<R: QueryableResults<Freight>>(
        _ freights: R, _ all: FreightRows, _ place: String
    ) throws {
        let query = FreightQuery(clause: clause)
        let expected = query.naive(all).map(\.id)
        let text = try query.results(in: freights).values(of: \.id)
        try query.require(text, expected, "text, \(place)")
        let found = freights.where(typed).values(of: \.id)
        try query.require(found, expected, "type-safe, \(place)")
        guard let predicate else { return }
        let predicted = try freights.filter(predicate).values(of: \.id)
        try query.require(predicted, expected, "predicate, \(place)")
    }
}

extension SeededGenerator {
    mutating func freightForm() -> FreightForm {
        switch next(below: 5) {
        case 0: formOfNumbers()
        case 1: formOfTexts()
        case 2: formOfLinks()
        case 3: formOfLists()
        default: formOfOthers()
        }
    }

    private mutating func freightPort() -> String { one(["aa", "ab", "b", "Bergen and Aalesund"]) }

    private mutating func formOfNumbers() -> FreightForm {
        let (n, more, port) = (next(below: 12), next(below: 4), freightPort())
        let (x, high) = (Double(n) / 2, n + more)
        switch next(below: 8) {
        case 0:
            return FreightForm(
                FreightClause("code == \(n) AND port == '\(port)'") { row, _ in
                    row.code == n && row.port == port
                }, { $0.code == n && $0.port == port },
                #Predicate<Freight> { $0.code == n && $0.port == port })
        case 1:
            return FreightForm(
                FreightClause("seal != \(n) OR weight == nil") { row, _ in
                    row.seal != n || row.weight == nil
                }, { $0.seal != n || $0.weight == nil },
                #Predicate<Freight> { $0.seal != n || $0.weight == nil })
        case 2:
            return FreightForm(
                FreightClause("NOT (weight > \(x))") { row, _ in
                    row.weight.map { $0 <= x } ?? true
                }, { !($0.weight > x) })
        case 3:
            return FreightForm(
                FreightClause("code BETWEEN {\(n), \(high)}") { row, _ in
                    row.code >= n && row.code <= high
                }, { $0.code.contains(n...high) },
                #Predicate<Freight> { (n...high).contains($0.code) })
        case 4:
            let codes = [n, high]
            return FreightForm(
                FreightClause("code IN {\(n), \(high)}") { row, _ in codes.contains(row.code) },
                { $0.code.in(codes) }, #Predicate<Freight> { codes.contains($0.code) })
        case 5:
            return FreightForm(
                FreightClause("code * \(more) - \(n) > id") { row, _ in
                    row.code * more - n > row.id
                }, { $0.code * more - n > $0.id },
                #Predicate<Freight> { $0.code * more - n > $0.id })
        case 6:
            return FreightForm(
                FreightClause("code % 3 == \(more)") { row, _ in row.code % 3 == more },
                { $0.code % 3 == more }, #Predicate<Freight> { $0.code % 3 == more })
        default:
            return FreightForm(
                FreightClause("id < code OR extra == \(n)") { row, _ in
                    row.id < row.code || row.extra.number == Double(n)
                }, { $0.id < $0.code || $0.extra == AnyRealmValue.int(n) })
        }
    }

    private mutating func formOfTexts() -> FreightForm {
        let (port, word, behind) = (freightPort(), freightWord(), freightWord())
        let part = String(port.prefix(1 + next(below: 3)))
        let (first, second) = (word.lowercased(), behind.lowercased())
        switch next(below: 6) {
        case 0:
            return FreightForm(
                FreightClause("port BEGINSWITH '\(part)'") { row, _ in row.port.hasPrefix(part) },
                { $0.port.starts(with: part) }, #Predicate<Freight> { $0.port.starts(with: part) })
        case 1:
            return FreightForm(
                FreightClause("port CONTAINS '\(part)'") { row, _ in row.port.contains(part) },
                { $0.port.contains(part) }, #Predicate<Freight> { $0.port.contains(part) })
        case 2:
            return FreightForm(
                FreightClause("name ==[c] '\(word)'") { row, _ in row.name?.lowercased() == first },
                { $0.name.equals(word, options: .caseInsensitive) })
        case 3:
            return FreightForm(
                FreightClause("name == '\(word)'") { row, _ in row.name == word },
                { $0.name == word }, #Predicate<Freight> { $0.name == word })
        case 4:
            return FreightForm(
                FreightClause("note TEXT '\(word) -\(behind)'") { row, _ in
                    let words = row.words("note") ?? []
                    return words.contains(first) && !words.contains(second)
                }, { $0.note.fullText("\(word) -\(behind)") })
        default:
            return FreightForm(
                FreightClause("{note, remark} TEXT '\(word) \(behind)'") { row, _ in
                    let words = (row.words("note") ?? []) + (row.words("remark") ?? [])
                    return words.contains(first) && words.contains(second)
                }, { $0.note.fullText("\(word) \(behind)", alsoIn: $0.remark) })
        }
    }

    private mutating func formOfLinks() -> FreightForm {
        let (n, port) = (next(below: 12), freightPort())
        switch next(below: 5) {
        case 0:
            return FreightForm(
                FreightClause("next == nil") { row, _ in row.next == nil }, { $0.next == nil },
                #Predicate<Freight> { $0.next == nil })
        case 1:
            return FreightForm(
                FreightClause("next.code == \(n)") { row, all in all[row.next]?.code == n },
                { $0.next.code == n }, #Predicate<Freight> { $0.next?.code == n })
        case 2:
            return FreightForm(
                FreightClause("next.port != '\(port)'") { row, all in
                    all[row.next]?.port != port
                }, { $0.next.port != port }, #Predicate<Freight> { $0.next?.port != port })
        case 3:
            return FreightForm(
                FreightClause("next.next.code > \(n)") { row, all in
                    all[all[row.next]?.next].map { $0.code > n } ?? false
                }, { $0.next.next.code > n })
        default:
            return FreightForm(
                FreightClause("ANY previous.code > \(n)") { row, all in
                    all.rows.values.contains { $0.next == row.id && $0.code > n }
                }, { $0.previous.code > n })
        }
    }

    private mutating func formOfLists() -> FreightForm {
        let (n, count, port) = (next(below: 12), next(below: 4), freightPort())
        let word = freightWord()
        switch next(below: 6) {
        case 0:
            return FreightForm(
                FreightClause("'\(word)' IN tags") { row, _ in row.tags.contains(word) },
                { $0.tags.contains(word) }, #Predicate<Freight> { $0.tags.contains(word) })
        case 1:
            return FreightForm(
                FreightClause("parts.@count >= \(count)") { row, _ in row.parts.count >= count },
                { $0.parts.count >= count }, #Predicate<Freight> { $0.parts.count >= count })
        case 2:
            return FreightForm(
                FreightClause("ANY parts.code > \(n)") { row, all in
                    all.parts(of: row).contains { $0.code > n }
                }, { $0.parts.code > n }, #Predicate<Freight> { $0.parts.contains { $0.code > n } })
        case 3:
            return FreightForm(
                FreightClause("NONE parts.code <= \(n)") { row, all in
                    all.parts(of: row).allSatisfy { $0.code > n }
                }, { $0.parts.all.code > n },
                #Predicate<Freight> { $0.parts.allSatisfy { $0.code > n } })
        case 4:
            let condition = "$x.code > \(n) OR $x.port == '\(port)'"
            return FreightForm(
                FreightClause("SUBQUERY(parts, $x, \(condition)).@count > 1") { row, all in
                    all.parts(of: row).count { $0.code > n || $0.port == port } > 1
                }, { ($0.parts.code > n || $0.parts.port == port).count > 1 },
                #Predicate<Freight> { $0.parts.filter { $0.code > n || $0.port == port }.count > 1 }
            )
        default:
            return FreightForm(
                FreightClause("parts.@max.code > \(n)") { row, all in
                    all.parts(of: row).map(\.code).max().map { $0 > n } ?? false
                }, { $0.parts.code.max > n })
        }
    }

    private mutating func formOfOthers() -> FreightForm {
        let (n, m, few) = (next(below: 12), 1 + next(below: 12), next(below: 5))
        switch next(below: 6) {
        case 0:
            return FreightForm(
                FreightClause("seal < \(m) OR seal == nil") { row, _ in (row.seal ?? 0) < m },
                { $0.seal < m || $0.seal == nil }, #Predicate<Freight> { ($0.seal ?? 0) < m })
        case 1:
            let text = "(code > \(n) AND seal == nil) OR (code <= \(n) AND id > \(m))"
            return FreightForm(
                FreightClause(text) { row, _ in row.code > n ? row.seal == nil : row.id > m },
                { ($0.code > n && $0.seal == nil) || ($0.code <= n && $0.id > m) },
                #Predicate<Freight> { $0.code > n ? $0.seal == nil : $0.id > m })
        case 2:
            let circle = GeoCircle(center: freightPoint(), radiusInRadians: Double(m) / 20)
                .unsafelyUnwrapped
            let name = "circle\(next(below: 1 << 40))"
            var clause = FreightClause("place GEOWITHIN $\(name)") { row, _ in
                row.place.map { circle.contains($0) } ?? false
            }
            clause.arguments = [name: circle]
            return FreightForm(clause, { $0.place.geoWithin(circle) })
        case 3:
            return FreightForm(
                FreightClause("due.month == \(m)") { row, _ in
                    var calendar = Calendar(identifier: .iso8601)
                    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
                    let due = row.due.map { Date(timeIntervalSinceReferenceDate: $0) }
                    return due.map { calendar.component(.month, from: $0) } == m
                }, { $0.due.month == m })
        case 4:
            let due = Date(timeIntervalSinceReferenceDate: Double(m) * 100 * 86_400)
            let name = "due\(next(below: 1 << 40))"
            var clause = FreightClause("due >= $\(name)") { row, _ in
                row.due.map { $0 >= due.timeIntervalSinceReferenceDate } ?? false
            }
            clause.arguments = [name: due]
            return FreightForm(clause, { $0.due >= due })
        default:
            return FreightForm(
                FreightClause("counts['x'] > \(few)") { row, _ in
                    row.counts["x"].map { $0 > few } ?? false
                }, { $0.counts["x"] > few })
        }
    }
}
