import Foundation
import RealmActors
import Testing

private final class Seat: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var row: String
    @Persisted var price: Double
    @Persisted var isTaken: Bool
    @Persisted var guest: String?
    @Persisted var neighbour: Seat?
}

/// Reading a class after most objects were deleted: the rest is in rewritten clusters, whose slots
/// do not follow from the keys.
@Suite struct SparseQueryTests {
    private func isKept(_ number: Int) -> Bool { number % 37 == 5 || (700..<760).contains(number) }

    private func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            for number in 0..<3000 {
                let seat = try tx.create(
                    Seat.self,
                    value: [
                        "number": number, "row": "row \(number % 7)", "price": Double(number) / 2,
                        "isTaken": number % 3 == 0,
                    ])
                if number % 2 == 0 { seat.guest = "guest \(number)" }
                seat.neighbour = tx.object(Seat.self, forPrimaryKey: number - 1)
            }
        }
    }

    private func thinOut(_ realm: Realm) async throws {
        try await realm.write { tx in
            let removed = (0..<3000).filter { !isKept($0) }
            try tx.delete(removed.compactMap { tx.object(Seat.self, forPrimaryKey: $0) })
        }
    }

    private func check(_ realm: Realm) {
        let kept = (0..<3000).filter(isKept)
        let seats = realm.objects(Seat.self)
        #expect(seats.values(of: \.number) == kept)
        #expect(seats.map(\.number).count == seats.count && seats[10].number == kept[10])
        #expect(
            seats.where { $0.price > 400 }.values(of: \.number)
                == kept.filter { Double($0) / 2 > 400 })
        #expect(
            seats.where { $0.isTaken == true }.values(of: \.number)
                == kept.filter { $0 % 3 == 0 })
        #expect(
            seats.where { $0.row == "row 3" }.values(of: \.number) == kept.filter { $0 % 7 == 3 })
        #expect(
            seats.where { $0.guest == nil }.values(of: \.number) == kept.filter { $0 % 2 != 0 })
        #expect(
            seats.where { $0.guest == "guest 720" }.values(of: \.number) == [720])
        #expect(seats.sum(of: \.price) == kept.reduce(0) { $0 + Double($1) / 2 })
        for number in kept {
            let seat = realm.object(Seat.self, forPrimaryKey: number)
            #expect(seat?.number == number && seat?.row == "row \(number % 7)")
            let neighbour = isKept(number - 1) && number > 0 ? number - 1 : nil
            #expect(seat?.neighbour?.number == neighbour)
        }
        #expect(realm.object(Seat.self, forPrimaryKey: 6) == nil)
    }

    @Test func queriesReadWhatIsLeft() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Seat.self])
            let realm = try await Realm.open(configuration)
            try await fill(realm)
            let before = realm.snapshot()
            try await thinOut(realm)
            check(realm)
            #expect(before.objects(Seat.self).count == 3000)
            #expect(before.object(Seat.self, forPrimaryKey: 6)?.neighbour?.number == 5)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            let again = try await Realm.open(configuration)
            check(again)
            #expect(try await again.verify().isIntact)
            try await again.close()
        }
    }
}
