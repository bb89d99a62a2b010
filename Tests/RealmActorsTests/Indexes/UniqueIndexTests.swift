import Foundation
import RealmActors
import Testing

private final class Reading: Object, IndexedModel {
    @Persisted var degrees: Double
    @Persisted var name: String?
    static var indexes: [Index<Reading>] { [Index(unique: \.degrees, \.name)] }
}

private final class Appointment: Object, IndexedModel {
    @Persisted var time: Date
    static var indexes: [Index<Appointment>] { [Index(unique: \.time)] }
}

private final class Alias: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String?
    static var indexes: [Index<Alias>] { [Index(unique: .ascending(\.name, collation: .people))] }
}

/// What unique indexes let through, and what they refuse.
@Suite struct UniqueIndexTests {
    private func duplicate(_ error: (any Error)?) -> (properties: [String], existing: String)? {
        guard
            case .duplicateValues(
                let name, let properties, let values, let existing, let rejected)? = error
                as? RealmError
        else { return nil }
        #expect(name == "Tenant" && values.count == properties.count && existing != rejected)
        return (properties, existing)
    }

    @Test func aSecondObjectWithTheValuesIsRefusedAndNamesTheFirst() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(10, tx) }
            let before = realm.snapshot().version
            let error = await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let tenant = try tx.create(Tenant.self, value: ["id": 100, "flat": 100])
                    tenant.mail = "4@example.org"
                }
            }
            #expect(
                error
                    == .duplicateValues(
                        className: "Tenant", properties: ["mail"], values: ["\"4@example.org\""],
                        existing: "the object with primary key 4",
                        rejected: "the object with primary key 100"))
            #expect(error?.description.contains("unique index of 'mail'") == true)
            #expect(realm.snapshot().version == before && realm.objects(Tenant.self).count == 10)
            let other = await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    tx.object(Tenant.self, forPrimaryKey: 3)?.city = "City number 0"
                    tx.object(Tenant.self, forPrimaryKey: 3)?.flat = 5
                }
            }
            #expect(duplicate(other)?.properties == ["city", "flat"])
            #expect(duplicate(other)?.existing == "the object with primary key 5")
            try await realm.write { tx in
                try tx.create(Tenant.self, value: ["id": 100, "flat": 100, "mail": "new"])
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test(arguments: [.nan, .infinity, -.infinity, 1e300, 0.25] as [Double])
    func everyDateThatIsThereTwiceIsNamed(seconds: Double) async throws {
        try await withFreshRealm([Appointment.self]) { realm in
            let time = Date(timeIntervalSinceReferenceDate: seconds)
            let error = await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    for _ in 0..<2 { try tx.create(Appointment.self, value: ["time": time]) }
                }
            }
            guard case .duplicateValues(_, _, let values, _, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(seconds != 0.25 || values == ["2001-01-01T00:00:00.250Z"])
        }
    }

    @Test func valuesMaySwapWithinATransaction() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(4, tx) }
            try await realm.write { tx in
                let all = tx.objects(Tenant.self)
                let (first, second) = (all[0], all[1])
                (first.mail, second.mail) = (second.mail, first.mail)
                // Inside the transaction an index finds what is there, twice or not.
                third(all[2], "0@example.org")
                #expect(all.where { $0.mail == "0@example.org" }.count == 2)
                third(all[2], "2@example.org")
            }
            let mails = realm.objects(Tenant.self).map { $0.mail }
            #expect(
                mails == [
                    "1@example.org", "0@example.org", "2@example.org", "3@example.org",
                ])
            // What is deleted leaves its values to another.
            try await realm.write { tx in
                try tx.delete(tx.objects(Tenant.self)[0])
                try tx.create(
                    Tenant.self, value: ["id": 9, "flat": 90, "mail": "1@example.org"])
            }
            #expect(try await realm.verify().isIntact)
        }
        func third(_ tenant: Tenant, _ mail: String) { tenant.mail = mail }
    }

    @Test func nilIsEqualToNothingAndNotANumberToItself() async throws {
        try await withFreshRealm([Reading.self]) { realm in
            func add(_ value: Double, _ name: String?) async throws {
                try await realm.write { tx in
                    try tx.create(Reading.self, value: ["degrees": value, "name": name as Any])
                }
            }
            try await add(1, nil)
            try await add(1, nil)
            try await add(.nan, "a")
            try await add(0, "a")
            try await add(0, "a\0")
            try await add(0, "")
            await #expect(throws: RealmError.self) { try await add(.nan, "a") }
            await #expect(throws: RealmError.self) { try await add(-0.0, "a") }
            await #expect(throws: RealmError.self) { try await add(0, "a\0") }
            #expect(realm.objects(Reading.self).count == 6)
            do {
                try await add(0, "")
            } catch RealmError.duplicateValues(_, _, let values, let existing, let rejected) {
                #expect(values.count == 2 && existing == "object 5" && rejected != existing)
            }
        }
    }

    @Test func textsThatTieInTheOrderOfPeopleAreTheSame() async throws {
        try await withFreshRealm([Alias.self]) { realm in
            try await realm.write { tx in
                for (id, name) in ["\u{E1}", "a", "\u{C1}", nil, nil, ""].enumerated() {
                    let alias = Alias()
                    (alias.id, alias.name) = (id, name)
                    try tx.add(alias)
                }
            }
            let error = await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    tx.object(Alias.self, forPrimaryKey: 1)?.name = "a\u{301}"
                }
            }
            guard case .duplicateValues(_, let properties, _, let existing, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(properties == ["name"] && existing == "the object with primary key 0")
            // One that goes leaves its place to the other, in whichever form.
            try await realm.write { tx in
                tx.object(Alias.self, forPrimaryKey: 1)?.name = "a\u{301}"
                tx.object(Alias.self, forPrimaryKey: 0)?.name = "A\u{301}"
                tx.object(Alias.self, forPrimaryKey: 2)?.name = "a"
            }
            let sorted = realm.objects(Alias.self).sorted(by: \.name, collation: .people)
            #expect(sorted.map(\.id) == [3, 4, 5, 2, 1, 0])
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Several transactions become one group on the disk: those that are in order stay.
    @Test func inAGroupOnlyTheOffendingTransactionFails() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            let failures = await withTaskGroup(of: Int.self) { group in
                for id in 0..<60 {
                    group.addTask {
                        do {
                            try await realm.write { tx in
                                try tx.create(
                                    Tenant.self,
                                    value: ["id": id, "flat": id, "mail": "\(id % 20)"])
                                return
                            }
                            return 0
                        } catch {
                            guard case RealmError.duplicateValues = error else { return 1000 }
                            return 1
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(failures == 40)
            #expect(realm.objects(Tenant.self).count == 20)
            #expect(Set(realm.objects(Tenant.self).map { $0.mail }).count == 20)
            let report = try await realm.verify()
            #expect(report.isIntact)
        }
    }

    @Test func upsertsGoByThePrimaryKeyAlone() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(3, tx) }
            let error = await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    try tx.create(
                        Tenant.self, value: ["id": 7, "flat": 7, "mail": "1@example.org"],
                        update: .modified)
                }
            }
            #expect(duplicate(error)?.properties == ["mail"])
            try await realm.write { tx in
                try tx.create(
                    Tenant.self, value: ["id": 1, "mail": "1@example.org"], update: .modified)
            }
            #expect(realm.objects(Tenant.self).count == 3)
        }
    }

    @Test func manyObjectsAtOnceAreCheckedToo() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(2_000, tx) }
            let error = await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    for id in 2_000..<4_000 {
                        let mail = id == 3_000 ? "17@example.org" : "\(id)@example.org"
                        try tx.create(
                            Tenant.self, value: ["id": id, "flat": id, "mail": mail])
                    }
                }
            }
            #expect(duplicate(error)?.existing == "the object with primary key 17")
            #expect(realm.objects(Tenant.self).count == 2_000)
        }
    }

    @MainActor @Test func aLiveWriteThatEndsSoIsTakenBack() async throws {
        try await withFreshRealm([Tenant.self]) { realm in
            try await realm.write { tx in try Tenant.fill(3, tx) }
            let live = try await realm.live()
            let tenants = live.objects(Tenant.self)
            await #expect(throws: RealmError.self) {
                try await live.write { tenants[0].mail = "2@example.org" }
            }
            #expect(tenants[0].mail == "0@example.org")
            try await live.write { tenants[0].mail = "another" }
            #expect(tenants.where { $0.mail == "another" }.count == 1)
        }
    }
}
