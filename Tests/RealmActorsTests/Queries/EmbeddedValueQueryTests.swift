import Foundation
import RealmActors
import Testing

private final class Chart: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var main: Cairn
    @Persisted var spare: Cairn?
    @Persisted var pins: List<Cairn>
    @Persisted var named: Map<String, Cairn?>
    @Persisted var others: List<Chart>
}

private struct Spot: CustomPersistable {
    var code: Int

    init(_ code: Int) { self.code = code }

    init(persistedValue: SpotRow) { self.init(persistedValue.code) }

    var persistableValue: SpotRow {
        let row = SpotRow()
        row.code = code
        return row
    }
}

private final class SpotRow: EmbeddedObject {
    @Persisted(indexed: true) var code: Int
    @Persisted var label: String?
}

private final class Hike: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var start: Spot
    @Persisted var end: Spot?
    @Persisted var next: Hike?
}

private final class Leg: EmbeddedObject {
    @Persisted var from: CairnRow?
    @Persisted var names: List<String>
    @Persisted var heights: Map<String, Int>
}

private final class Route: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var leg: Leg?

    convenience init(_ id: Int, _ x: Int, _ names: [String], _ heights: [String: Int] = [:]) {
        self.init()
        let (leg, from) = (Leg(), CairnRow())
        from.x = x
        leg.from = from
        leg.names.append(objectsIn: names)
        for (name, height) in heights { leg.heights[name] = height }
        (self.id, self.leg) = (id, leg)
    }
}

/// Values that are stored as embedded objects, behind collections: each is compared as a whole, and
/// not its properties with those of others.
@Suite struct EmbeddedValueQueryTests {
    private func withCharts(_ body: (FrozenResults<Chart>) throws -> Void) async throws {
        try await withFreshRealm([Chart.self, CairnRow.self]) { realm in
            try await realm.write { tx in
                let charts = (0..<3).map { id in
                    let chart = Chart()
                    chart.id = id
                    return chart
                }
                charts[0].main = Cairn(1, "hut")
                charts[1].main = Cairn(2)
                charts[2].main = Cairn(1)
                charts[1].spare = Cairn(9, "peak")
                charts[2].spare = Cairn(9)
                charts[0].pins.append(objectsIn: [Cairn(0), Cairn(5, "lake")])
                charts[1].pins.append(Cairn(1))
                charts[0].named["a"] = Cairn(0, "x")
                charts[0].named["b"] = Cairn(9, "y")
                charts[2].named["a"] = Cairn(9, "x")
                charts[1].others.append(charts[2])
                charts[2].others.append(objectsIn: [charts[0], charts[1]])
                // The others come along.
                try tx.add(charts[2])
            }
            try body(realm.objects(Chart.self))
        }
    }

    private func ids(
        _ charts: FrozenResults<Chart>, _ isIncluded: (Query<Chart>) -> Query<Bool>
    ) -> [Int] { charts.sorted(by: \.id).where(isIncluded).map(\.id) }

    @Test("P16, Q6: any, all and none of a list equal a value, and differ from it")
    func quantifiers() async throws {
        try await withCharts { charts in
            // One has the number, another the label.
            #expect(ids(charts) { $0.pins.any == Cairn(0, "lake") } == [])
            #expect(ids(charts) { $0.pins.any == Cairn(0) } == [0])
            #expect(ids(charts) { $0.pins.any != Cairn(1) } == [0])
            #expect(ids(charts) { $0.pins != Cairn(0) } == [0, 1])
            #expect(ids(charts) { $0.pins.all == Cairn(1) } == [1, 2])
            #expect(ids(charts) { $0.pins.all != Cairn(1) } == [0, 2])
            #expect(ids(charts) { $0.pins.none == Cairn(1) } == [0, 2])
            #expect(ids(charts) { $0.pins.any.in([Cairn(1), Cairn(5, "lake")]) } == [0, 1])
            #expect(ids(charts) { $0.pins.all.in([Cairn(0), Cairn(5, "lake")]) } == [0, 2])
            #expect(ids(charts) { $0.pins.none.in([Cairn(0)]) } == [1, 2])
        }
    }

    @Test("P16, Q7: the values of a map, and the one under a key")
    func maps() async throws {
        try await withCharts { charts in
            #expect(ids(charts) { $0.named.values == Cairn(9, "x") } == [2])
            #expect(ids(charts) { $0.named.values != Cairn(9, "x") } == [0])
            #expect(ids(charts) { $0.named == Cairn(0, "x") } == [0])
            #expect(ids(charts) { $0.named != Cairn(0, "x") } == [0, 2])
            #expect(ids(charts) { $0.named.contains(Cairn(9, "y")) } == [0])
            let some: [Cairn?] = [Cairn(0, "x"), Cairn(9, "x")]
            #expect(ids(charts) { $0.named.containsAny(in: some) } == [0, 2])
            #expect(ids(charts) { $0.named["a"] == Cairn(9, "x") } == [2])
            #expect(ids(charts) { $0.named["a"] != Cairn(9, "x") } == [0, 1])
        }
    }

    @Test("P16, Q20: a value of what a list leads to is that of one object")
    func pathsThroughLists() async throws {
        try await withCharts { charts in
            // The last one leads to a 1, and to another value without a label.
            #expect(ids(charts) { $0.others.main == Cairn(1) } == [1])
            #expect(ids(charts) { $0.others.main != Cairn(1) } == [2])
            #expect(ids(charts) { $0.others.spare == Cairn(9, "peak") } == [2])
            #expect(ids(charts) { $0.others.spare == nil } == [2])
            #expect(ids(charts) { $0.others.spare != nil } == [1, 2])
            #expect(ids(charts) { $0.others.all.main == Cairn(1) } == [0, 1])
            #expect(ids(charts) { $0.others.none.main == Cairn(2) } == [0, 1])
            #expect(ids(charts) { $0.others.all.spare != Cairn(9) } == [0, 2])
            #expect(ids(charts) { ($0.others.main == Cairn(2)).count == 1 } == [2])
            #expect(ids(charts) { $0.spare == Cairn(9) } == [2])
            #expect(ids(charts) { $0.spare != Cairn(9) } == [0, 1])
            let some: [Cairn?] = [nil, Cairn(9)]
            #expect(ids(charts) { $0.spare.in(some) } == [0, 2])
            #expect(ids(charts) { $0.main.in([Cairn(1), Cairn(2)]) } == [1, 2])
        }
    }

    @Test("P16, Q20: a value is found by the indexes that its embedded object has")
    func indexes() async throws {
        try await withFreshRealm([Hike.self, SpotRow.self]) { realm in
            try await realm.write { tx in
                var last: Hike?
                for id in 0..<600 {
                    let hike = Hike()
                    hike.id = id
                    hike.start = Spot(id)
                    if id.isMultiple(of: 3) { hike.end = Spot(-id) }
                    hike.next = last
                    try tx.add(hike)
                    last = hike
                }
            }
            let hikes = realm.objects(Hike.self)
            let start = hikes.where { $0.start == Spot(7) }
            #expect(start.map(\.id) == [7])
            #expect(start.explain().contains("backlink seek on start"))
            let end = hikes.where { $0.end == Spot(-9) && $0.id > 2 }
            #expect(end.map(\.id) == [9])
            #expect(end.explain().contains("backlink seek on end"))
            let next = hikes.where { $0.next.start == Spot(7) }
            #expect(next.map(\.id) == [8])
            #expect(next.explain().contains("backlink seek on next"))
            let one = hikes.where { $0.start.in([Spot(599)]) }
            #expect(one.map(\.id) == [599])
            // Nil is found from no end.
            #expect(hikes.where { $0.end != Spot(-9) }.count == 599)
            #expect(hikes.where { $0.next.start == Spot(600) }.isEmpty)
            #expect(hikes.where { $0.next.start != Spot(7) }.count == 599)
        }
    }

    /// Each object that stores one was a value of its own.
    @Test("P16, Q14: values are distinct by their properties")
    func distinctValues() async throws {
        try await withFreshRealm([Hike.self, SpotRow.self]) { realm in
            try await realm.write { tx in
                let ends: [Int?] = [nil, 4, 4, nil, 5]
                for (id, end) in ends.enumerated() {
                    let hike = Hike()
                    hike.id = id
                    hike.start = Spot(id / 2)
                    hike.end = end.map { Spot($0) }
                    try tx.add(hike)
                }
            }
            let hikes = realm.objects(Hike.self)
            #expect(hikes.distinct(by: \.start).map(\.id) == [0, 2, 4])
            #expect(try hikes.distinct(by: ["end"]).map(\.id) == [0, 1, 4])
            #expect(try hikes.distinct(by: ["start", "end"]).map(\.id) == [0, 1, 2, 3, 4])
            #expect(try hikes.filter("TRUEPREDICATE DISTINCT(start)").map(\.id) == [0, 2, 4])
            let (starts, ends) = hikes.aggregates(
                .distinctCount(of: \.start), .distinctCount(of: \.end))
            #expect(starts == 3 && ends == 2)
        }
    }

    @Test("P16, Q6: different values of a list or a map are counted by their properties")
    func distinctCounts() async throws {
        try await withFreshRealm([Chart.self, CairnRow.self]) { realm in
            try await realm.write { tx in
                let chart = Chart()
                chart.main = Cairn(1)
                chart.pins.append(objectsIn: [Cairn(1), Cairn(1, "hut"), Cairn(1)])
                chart.named["a"] = Cairn(3)
                chart.named["b"] = Cairn(3)
                chart.named["c"] = .some(nil)
                try tx.add(chart)
            }
            let charts = realm.objects(Chart.self)
            #expect(charts.where { $0.pins.distinctCount == 2 }.count == 1)
            #expect(charts.where { $0.pins.distinctCount + 1 == 3 }.count == 1)
            #expect(try charts.filter("pins.@distinctCount == 2").count == 1)
            #expect(charts.where { $0.named.distinctCount == 1 }.count == 1)
        }
    }

    @Test("Q14: embedded objects are distinct by all that they contain, also as it changes")
    func distinctContents() async throws {
        try await withFreshRealm([Route.self, Leg.self, CairnRow.self]) { realm in
            try await realm.write { tx in
                for route in [
                    Route(0, 1, ["a", "b"]), Route(1, 1, ["a", "b"]), Route(2, 2, ["a", "b"]),
                    Route(3, 1, ["a"]), Route(4, 1, ["ab"]), Route(5, 1, ["ab"], ["a": 1]),
                ] {
                    try tx.add(route)
                }
                for id in 6...7 { try tx.create(Route.self, value: ["id": id]) }
            }
            let routes = try realm.objects(Route.self).distinct(by: ["leg"])
            #expect(routes.map(\.id) == [0, 2, 3, 4, 5, 6])
            var stream = routes.changes().makeAsyncIterator()
            _ = try await stream.next()
            // Nothing but an embedded object within an embedded object.
            try await realm.write { tx in
                tx.object(Route.self, forPrimaryKey: 2)?.leg?.from?.x = 1
            }
            let change = try await stream.next()
            #expect(change?.collection.map(\.id) == [0, 3, 4, 5, 6])
        }
    }
}
