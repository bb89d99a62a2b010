import Foundation
import RealmActors
import Testing

private final class MixedGauge: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted var board: MixedBoard?

    convenience init(_ id: Int, _ value: AnyRealmValue) {
        self.init()
        self.id = id
        self.value = value
    }
}

private final class MixedBoard: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var best: AnyRealmValue
    @Persisted var gauges: List<MixedGauge>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

/// Properties of any type had no aggregates, which collections of such values have.
@Suite struct AnyTypeAggregateTests {
    private static var values: [AnyRealmValue] {
        [.int(3), .double(2.5), .none, .double(.nan), .int(-4), .string("b"), .string("a")]
    }

    private func withGauges(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm([MixedGauge.self, MixedBoard.self]) { realm in
            try await realm.write { tx in
                let board = MixedBoard("main")
                for (id, value) in Self.values.enumerated() {
                    board.gauges.append(MixedGauge(id, value))
                }
                try tx.add(board)
                board.best = .int(7)
                for gauge in board.gauges { gauge.board = board }
            }
            try await body(realm)
        }
    }

    private static func check(_ gauges: List<MixedGauge>) {
        #expect(gauges.min(of: \.value) == AnyRealmValue.int(-4))
        #expect(gauges.max(of: \.value) == AnyRealmValue.string("b"))
        #expect(gauges.sum(of: \.value) == AnyRealmValue.double(1.5))
        #expect(gauges.average(of: \.value) == 0.5)
    }

    @Test("Q15, D24: aggregates of a property of any type go by the order of all types")
    func byKeyPath() async throws {
        let unmanaged = MixedBoard("other")
        for value in Self.values { unmanaged.gauges.append(MixedGauge(0, value)) }
        Self.check(unmanaged.gauges)
        try await withGauges { realm in
            let all = realm.objects(MixedGauge.self)
            #expect(all.min(of: \.value) == FrozenValue.int(-4))
            #expect(all.max(of: \.value) == FrozenValue.string("b"))
            #expect(all.sum(of: \.value) == FrozenValue.double(1.5))
            #expect(all.average(of: \.value) == 0.5)
            let listed = try #require(realm.object(MixedBoard.self, forPrimaryKey: "main")).gauges
            #expect(listed.min(of: \.value) == FrozenValue.int(-4))
            #expect(listed.sum(of: \.value) == FrozenValue.double(1.5))
            let none = all.where { $0.id == 2 || $0.id == 3 }
            #expect(none.count == 2 && none.min(of: \.value) == nil)
            #expect(none.max(of: \.value) == nil && none.sum(of: \.value) == FrozenValue.int(0))
            #expect(none.average(of: \.value) == nil)
            try await realm.write { tx in
                Self.check(try #require(tx.object(MixedBoard.self, forPrimaryKey: "main")).gauges)
                let texts = tx.objects(MixedGauge.self).where { $0.id > 4 }
                #expect(texts.min(of: \.value) == AnyRealmValue.string("a"))
                #expect(texts.sum(of: \.value) == AnyRealmValue.int(0))
            }
        }
    }

    @Test("Q23: aggregates by the name of a property of any type")
    func byName() async throws {
        try await withGauges { (realm) async throws in
            let all = realm.objects(MixedGauge.self)
            #expect(try all.min(ofProperty: "value") == FrozenValue.int(-4))
            #expect(try all.max(ofProperty: "value") == FrozenValue.string("b"))
            #expect(try all.sum(ofProperty: "value") == FrozenValue.double(1.5))
            #expect(try all.average(ofProperty: "value") == 0.5)
            #expect(try all.max(ofProperty: "board.best") == FrozenValue.int(7))
            let none = all.where { $0.id == 2 }
            #expect(try none.min(ofProperty: "value") == FrozenValue.none)
            #expect(try none.sum(ofProperty: "value") == FrozenValue.int(0))
        }
    }

    @Test("D23, Q15: links are the greatest values, and those to what was deleted do not count")
    func links() async throws {
        try await withGauges { realm in
            try await realm.write { tx in
                let gauges = tx.objects(MixedGauge.self)
                let main = try #require(tx.object(MixedBoard.self, forPrimaryKey: "main"))
                let other = try tx.create(MixedBoard.self, value: ["name": "other"])
                gauges[0].value = .object(main)
                gauges[1].value = .object(other)
                try tx.delete(other)
                let greatest = gauges.max(of: \.value)?.object(MixedBoard.self)
                #expect(greatest?.isSameObject(as: main) == true)
                guard case .object(let named) = try gauges.max(ofProperty: "value") else {
                    Issue.record("The greatest value is no link.")
                    return
                }
                #expect(try named["name"] == FrozenValue.string("main"))
            }
            guard case .object(let frozen)? = realm.objects(MixedGauge.self).max(of: \.value)
            else {
                Issue.record("The greatest value is no link.")
                return
            }
            #expect(try frozen["name"] == FrozenValue.string("main"))
        }
    }
}
