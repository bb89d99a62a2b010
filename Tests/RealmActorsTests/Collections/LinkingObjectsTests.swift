import Foundation
import RealmActors
import Testing

/// What the contract says about inverse properties.
@Suite struct LinkingObjectsTests {
    @Test("P7: a parent once per link, empty unmanaged, queried as Results")
    func queries() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            #expect(Holder().rosters.isEmpty && Holder().rosters.realm == nil)
            for key in 1...4 {
                let roster = try tx.create(Roster.self, value: ["key": key])
                roster.members.append(holder)
                if key == 2 { roster.members.append(holder) }
            }
            let rosters = holder.rosters
            #expect(rosters.map(\.key).sorted() == [1, 2, 2, 3, 4] && rosters.realm != nil)
            #expect(rosters.where { $0.key > 2 }.map(\.key) == [3, 4])
            #expect(rosters.sorted(by: \.key, ascending: false).first?.key == 4)
            #expect(rosters.distinct(by: \.key).count == 4 && rosters.max(of: \.key) == 4)
            #expect(rosters.sum(of: \.key) == 12 && rosters.average(of: \.key) == 2.4)
            let last = try #require(tx.object(Roster.self, forPrimaryKey: 4))
            #expect(rosters.contains(last) && rosters.index(of: last) == 4)
            #expect(!rosters.contains(Roster()) && !rosters.isFrozen)
            #expect(rosters.description.contains("[4] Roster {"))
            let frozen = rosters.freeze()
            for roster in rosters { try tx.delete(roster) }
            #expect(rosters.isEmpty && frozen.count == 5 && !rosters.isInvalidated)
            try tx.delete(holder)
            #expect(rosters.isInvalidated && rosters.isEmpty)
        }
    }
}
