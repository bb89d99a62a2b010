import Foundation
import RealmActors
import Testing

final class IndexedParcel: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var weight: Int
    @Persisted(indexed: true) var street: String
    @Persisted(indexed: true) var due: Date?
    @Persisted(indexed: true) var isPaid: Bool
    @Persisted(indexed: true) var code: UUID?
    @Persisted var plainWeight: Int

    static func fill(_ count: Int, _ tx: WriteTransaction) throws {
        for number in 0..<count {
            let weight = (number &* 7919) % 501 - 250
            let due = number % 10 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(weight))
            let byte = UInt8(number % 200)
            try tx.create(
                IndexedParcel.self,
                value: [
                    "number": number, "weight": weight, "plainWeight": weight,
                    "street": "Street of number \(weight)", "due": due as Any,
                    "isPaid": number % 20 == 0,
                    "code": UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, byte)),
                ])
        }
    }
}

private enum Unindexed {
    final class Letter: Object {
        @Persisted(primaryKey: true) var number: Int
    }
}
private enum Indexed {
    final class Letter: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted(indexed: true) var topic: String
        @Persisted(indexed: true) var grade: Int?
    }
}

/// Queries that indexes serve, through the public interface.
@Suite struct IndexedQueryTests {
    /// What an indexed property finds, an unindexed one of the same values finds too.
    private func check<Found: QueryableResults<IndexedParcel>>(_ all: Found) {
        func numbers(_ found: Found) -> [Int] { found.values(of: \.number) }
        for weight in [-250, -3, 0, 249] {
            #expect(
                numbers(all.where { $0.weight == weight })
                    == numbers(all.where { $0.plainWeight == weight }))
            #expect(
                numbers(all.where { $0.weight > weight && $0.weight <= weight + 20 })
                    == numbers(
                        all.where { $0.plainWeight > weight && $0.plainWeight <= weight + 20 }))
            #expect(
                all.where { $0.weight < weight }.count
                    == all.where { $0.plainWeight < weight }.count)
            #expect(
                all.where { $0.weight < weight }.isEmpty
                    == all.where { $0.plainWeight < weight }.isEmpty)
            #expect(
                numbers(all.where { $0.weight == weight || $0.weight == 5 })
                    == numbers(all.where { $0.plainWeight.in([weight, 5]) }))
        }
        let begins = all.where { $0.street.starts(with: "Street of number 24") }
        #expect(
            numbers(begins)
                == numbers(
                    all.where {
                        $0.plainWeight.in([24]) || $0.plainWeight.contains(240...249)
                    }))
        #expect(all.where { $0.due == nil }.count == (all.count + 9) / 10)
        #expect(
            all.where { $0.isPaid && $0.weight >= 0 }.count
                == all.where { $0.isPaid == true && $0.plainWeight >= 0 }.count)
        let sorted = all.sorted(by: \.weight, ascending: false).limit(30)
        #expect(
            numbers(sorted) == numbers(all.sorted(by: \.plainWeight, ascending: false).limit(30)))
        #expect(numbers(all.sorted(by: \.weight)) == numbers(all.sorted(by: \.plainWeight)))
        let late = all.where { $0.weight > 200 && $0.isPaid }.sorted(by: \.weight).limit(7)
        let plain = all.where { $0.plainWeight > 200 && $0.isPaid }
            .sorted(by: \.plainWeight).limit(7)
        #expect(numbers(late) == numbers(plain))
        #expect(all.sorted(by: \.due).limit(1).values(of: \.due) == [nil])
        let code = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7))
        #expect(numbers(all.where { $0.code == code }).allSatisfy { $0 % 200 == 7 })
    }

    @Test("M5: frozen results use indexes")
    func frozenResultsUseIndexes() async throws {
        try await withFreshRealm([IndexedParcel.self]) { realm in
            try await realm.write { tx in try IndexedParcel.fill(3000, tx) }
            check(realm.objects(IndexedParcel.self))
        }
    }

    @Test func resultsInATransactionUseIndexes() async throws {
        try await withFreshRealm([IndexedParcel.self]) { realm in
            try await realm.write { tx in
                try IndexedParcel.fill(2000, tx)
                let all = tx.objects(IndexedParcel.self)
                check(all)
                // Moving values moves the entries that the next query asks for.
                for parcel in all.where({ $0.weight == 5 }) {
                    parcel.weight = 77
                    parcel.plainWeight = 77
                }
                #expect(all.where { $0.weight == 5 }.isEmpty)
                check(all)
                try tx.delete(all.where { $0.weight > 240 })
                #expect(all.where { $0.weight > 240 }.count == 0)
                #expect(all.sorted(by: \.weight, ascending: false).first?.weight == 240)
            }
        }
    }

    @Test @MainActor func liveResultsUseIndexes() async throws {
        let realm = try await freshRealm([IndexedParcel.self])
        try await realm.write { tx in try IndexedParcel.fill(1500, tx) }
        let live = try await realm.live()
        check(live.objects(IndexedParcel.self))
    }

    /// A property that is added to a class with objects is indexed from the first.
    @Test func aPropertyAddedLaterIsIndexed() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Unindexed.Letter.self]))
            try await realm.write { tx in
                for number in 0..<700 {
                    try tx.create(Unindexed.Letter.self, value: ["number": number])
                }
            }
            try await realm.close()
            for _ in 0..<2 {
                let again = try await Realm.open(
                    .init(path: path, objectTypes: [Indexed.Letter.self]))
                let letters = again.objects(Indexed.Letter.self)
                #expect(letters.where { $0.topic == "" }.count == 700)
                #expect(letters.where { $0.grade == nil }.count == 700)
                #expect(letters.sorted(by: \.grade).values(of: \.number) == Array(0..<700))
                try await again.close()
            }
            let last = try await Realm.open(.init(path: path, objectTypes: [Indexed.Letter.self]))
            try await last.write { tx in
                tx.object(Indexed.Letter.self, forPrimaryKey: 650)?.topic = "rain"
            }
            let found = last.objects(Indexed.Letter.self).where { $0.topic == "rain" }
            #expect(found.values(of: \.number) == [650])
            try await last.close()
        }
    }
}
