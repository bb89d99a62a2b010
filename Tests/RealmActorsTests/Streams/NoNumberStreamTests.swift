import Testing

@testable import RealmActors

/// Values that are no numbers equal nothing, not even themselves. That is no change.
@Suite struct NoNumberStreamTests {
    /// Each was a modification of its key, or a deletion and an insertion.
    @Test("N10: NaN is not reported with properties written beside it")
    @MainActor func besideIt() async throws {
        let live = try await freshRealm(hostTypes).live()
        let host = try await live.write { try live.makeHost(1) }
        try await live.write {
            host.note = [
                "list": [.double(.nan), [.double(.nan)], 1], "map": ["k": .double(.nan)],
            ]
        }
        let note = try #require(host.note.dictionaryValue)
        let outer = try note.changes().probe()
        let list = try #require(note["list"]?.listValue).changes().probe()
        let map = try #require(note["map"]?.dictionaryValue).changes().probe()
        try await live.write { note["list"]?.listValue?.append(2) }
        #expect(try outer.nextSummary() == #"-[] +[] ~["list"]"#)
        #expect(try list.nextSummary() == "-[] +[3] ~[]")
        #expect(try map.nextSummary() == "")
    }

    /// As in a process that follows another one.
    @Test("N10: nor is it reported when elements are compared")
    func compared() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.doubles.append(objectsIn: [Double.nan, 1])
            holder.doubleMap["k"] = Double.nan
            holder.doubleMap["l"] = 1
            return holder.freeze()
        }
        var list = holder.doubles.changes().producer
        var map = holder.doubleMap.changes().producer
        _ = try list.produce(MergedMarks(), at: realm.snapshot())
        _ = try map.produce(MergedMarks(), at: realm.snapshot())
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.doubles.append(2)
            holder.doubleMap["m"] = 2
        }
        guard case .element(let listed) = try list.produce(.everything, at: realm.snapshot()),
            case .element(let mapped) = try map.produce(.everything, at: realm.snapshot())
        else {
            Issue.record("expected changes")
            return
        }
        #expect(summary(listed) == "-[] +[2] ~[]")
        #expect(summary(mapped) == #"-[] +["m"] ~[]"#)
    }

    /// It was a deletion and an insertion.
    @Test("N10: nor where it is within a list that has moved, and has other bits")
    func otherBits() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.anys.append(objectsIn: [[.double(.nan)], 1])
            return holder.freeze()
        }
        var list = holder.anys.changes().producer
        _ = try list.produce(MergedMarks(), at: realm.snapshot())
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.anys.assign([0, [.double(-Double.nan)], 1, 2])
        }
        guard case .element(let change) = try list.produce(.everything, at: realm.snapshot())
        else {
            Issue.record("expected a change")
            return
        }
        #expect(summary(change) == "-[] +[0, 3] ~[]")
    }

    @Test("N10: nor where too many writes were merged to know the properties of an object")
    func unknownWrites() async throws {
        let realm = try await holderRealm()
        let member = try await realm.write { tx in
            let member = try tx.create(Member.self)
            member.weight = Double.nan
            return member.freeze()
        }
        var producer = member.changes().producer
        _ = producer.begin(at: realm.snapshot())
        try await realm.write { tx in tx.objects(Member.self).first?.name = "x" }
        guard case .element(let change) = try producer.produce(.everything, at: realm.snapshot())
        else {
            Issue.record("expected a change")
            return
        }
        #expect(summary(change) == "name")
    }

    /// It was deleted and inserted in a list and a set, and modified in a map.
    @Test("N10, O6: nor where a revert writes what is beside it")
    func reverted() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.doubles.append(objectsIn: [Double.nan, 1])
            holder.doubleSet.insert(objectsIn: [Double.nan, 1])
            holder.doubleMap["k"] = Double.nan
            return holder.freeze()
        }
        let before = realm.snapshot()
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.doubles.append(2)
            holder.doubleSet.insert(2)
            holder.doubleMap["m"] = 2
        }
        let list = try holder.doubles.changes().probe()
        let set = try holder.doubleSet.changes().probe()
        let map = try holder.doubleMap.changes().probe()
        try await realm.revert(to: before)
        #expect(try list.nextSummary() == "-[2] +[] ~[]")
        #expect(try set.nextSummary() == "-[2] +[] ~[]")
        #expect(try map.nextSummary() == #"-["m"] +[] ~[]"#)
    }
}
