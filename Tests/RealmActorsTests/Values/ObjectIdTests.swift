import Foundation
import RealmActors
import Testing

private final class Ticket: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var parent: ObjectId?
}

/// `ObjectId` as a value and as a key.
@Suite struct ObjectIdTests {
    @Test("P13: an identifier's text has 24 digits")
    func textsHaveTwentyFourDigits() throws {
        let id = try ObjectId(string: "507F1f77bcf86cd799439011")
        #expect(id.description == "507f1f77bcf86cd799439011" && id.stringValue == id.description)
        #expect(id.timestamp == Date(timeIntervalSince1970: 0x507F_1F77))
        for text in [
            "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
        ] {
            #expect(throws: RealmError.self) { try ObjectId(string: text) }
        }
        #expect(ObjectId().description == String(repeating: "0", count: 24))
    }

    /// It had to be unwrapped.
    @Test func digitsInTheCodeNeedNoUnwrapping() throws {
        let id: ObjectId = ObjectId("507f1f77BCF86cd799439011")
        #expect(try id == ObjectId(string: "507f1f77bcf86cd799439011"))
        let none: ObjectId? = ObjectId("507f")
        #expect(none == nil)
    }

    @Test("P13: generated identifiers are unique and ascend with time")
    func generatedOnesAreUniqueAndAscendWithTime() {
        let ids = (0..<10_000).map { _ in ObjectId.generate() }
        #expect(Set(ids).count == ids.count)
        #expect(abs(ids[0].timestamp.timeIntervalSinceNow) < 60)
        let early = ObjectId(timestamp: Date(timeIntervalSince1970: 1), machineId: 1, processId: 2)
        let late = ObjectId(timestamp: Date(timeIntervalSince1970: 2), machineId: 0, processId: 0)
        #expect(early < late && early.description.hasPrefix("000000010000010002"))
    }

    @Test func aTimeOutOfRangeIsTheNearestInIt() {
        let times = [Double.nan, -1, -.infinity, .infinity, 1e300, 5.5].map { seconds in
            let date = Date(timeIntervalSince1970: seconds)
            return ObjectId(timestamp: date, machineId: 1, processId: 2)
                .timestamp.timeIntervalSince1970
        }
        #expect(times == [0, 0, 0, 4_294_967_295, 4_294_967_295, 5])
    }

    @Test func codableIsTheText() throws {
        let id = ObjectId.generate()
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id)\"]")
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ObjectId].self, from: Data(#"["x"]"#.utf8))
        }
    }

    @Test func primaryKeysAndIndexesFindThem() async throws {
        try await withFreshRealm([Ticket.self]) { realm in
            let ids = (0..<300).map { _ in ObjectId.generate() }
            try await realm.write { tx in
                for id in ids {
                    let parent: Any = id < ids[100] ? ids[0] : NSNull()
                    try tx.create(Ticket.self, value: ["id": id, "parent": parent])
                }
            }
            for id in ids { #expect(realm.object(Ticket.self, forPrimaryKey: id)?.id == id) }
            #expect(realm.object(Ticket.self, forPrimaryKey: ObjectId()) == nil)
            let all = realm.objects(Ticket.self)
            #expect(all.where { $0.parent == ids[0] }.count == 100)
            #expect(all.where { $0.parent == nil }.count == 200)
            #expect(all.sorted(by: \.id, ascending: false).first?.id == ids[299])
            #expect(all.where { $0.id >= ids[290] }.count == 10)
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in _ = try tx.create(Ticket.self, value: ["id": ids[7]])
                }
            }
            try await realm.write { tx in
                guard let ticket = tx.object(Ticket.self, forPrimaryKey: ids[5]) else { return }
                try tx.delete(ticket)
            }
            #expect(realm.object(Ticket.self, forPrimaryKey: ids[5]) == nil)
            #expect(try await realm.verify().problems.isEmpty)
        }
    }
}
