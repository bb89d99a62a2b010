import Foundation
import Observation
import RealmActors
import Storage
import Synchronization
import Testing

private final class CountProjection: Projection<Employee> {
    @Projected(\Employee.friends.count) var friendCount
    @Projected(\Employee.badges.first) var firstBadge
    @Projected(\Employee.reviewers.projectTo.fullName) var fullNames: ProjectedCollection<String>
}

/// `Projection` and `@Projected`, live and frozen.
@Suite struct ProjectionTests {
    @Test("P18: properties are renamed and transformed")
    func propertiesAreRenamedAndTransformed() async throws {
        try await withEmployees { realm in
            let ada = try realm.ada()
            #expect(ada.name == "Ada" && ada.lastNameCaps == "ASH" && ada.label == "Ada Ash")
            #expect(ada.mood == .calm && ada[\.name] == "Ada")
            #expect(ada.withProjection { $0.greeting() } == "Dear Ada")
        }
    }

    @Test func aKeyPathLeadsThroughLinks() async throws {
        try await withEmployees { realm in
            let ada = try realm.ada()
            #expect(
                ada.homeCity == "Rome" && ada.bossName == "Bea" && ada.chief?.firstName == "Bea")
            let bea = try #require(realm.object(EmployeeProjection.self, forPrimaryKey: 2))
            #expect(bea.homeCity == nil && bea.bossName == nil && bea.chief == nil)
            #expect(bea.staff.map(\.firstName) == ["Ada"])
        }
    }

    @Test func collectionsAreProjected() async throws {
        try await withEmployees { realm in
            let ada = try realm.ada()
            #expect(Array(ada.friendsNames) == ["Bea"] && ada.friendsNames.count == 1)
            #expect(Set(ada.reviewers) == ["Bell", "Cole"])
            #expect(ada.friendsNames.description == #"["Bea"]"#)
            #expect(ada.friends.first?.lastName == "Bell")
            #expect(Array(ada.reviews) == ["good", "better"] && Array(ada.badges) == [1, 3])
            #expect(ada.notes["seat"] == .int(4) && ada.extra == .string("x"))
        }
    }

    @Test("P18: reading and writing pass through to the live object")
    func readingAndWritingPassThroughToTheLiveObject() async throws {
        try await withEmployees { realm in
            let frozen = try realm.ada()
            try await realm.write { tx in
                let ada = try #require(tx.object(EmployeeProjection.self, forPrimaryKey: 1))
                ada.name = "Ann"
                ada.chief = tx.object(Employee.self, forPrimaryKey: 3)
                ada.friendsNames[0] = "Bob"
                ada.reviews.append("best")
                ada.mood = .playful
                #expect(ada.rootObject.firstName == "Ann" && ada.bossName == "Cy")
                #expect(Array(ada.friendsNames) == ["Bob"])
                ada.rootObject.lastName = "Axe"
                #expect(ada.lastNameCaps == "AXE")
            }
            #expect(frozen.name == "Ada" && frozen.bossName == "Bea")
            let later = try realm.ada()
            #expect(later.name == "Ann" && later.bossName == "Cy" && later.mood == .playful)
            #expect(realm.object(Employee.self, forPrimaryKey: 2)?.firstName == "Bob")
        }
    }

    @Test func anUnmanagedObjectIsProjectedToo() {
        let employee = Employee()
        employee.firstName = "Dan"
        employee.friends.append(employee)
        let projection = EmployeeProjection(projecting: employee)
        #expect(projection.name == "Dan" && Array(projection.friendsNames) == ["Dan"])
        projection.name = "Don"
        #expect(employee.firstName == "Don" && projection.realm == nil)
    }

    @Test func objectsGivesResultsOfProjections() async throws {
        try await withEmployees { realm in
            let all = realm.objects(EmployeeProjection.self)
            #expect(all.map(\.name) == ["Bea", "Cy", "Ada"] && all.count == 3 && !all.isEmpty)
            #expect(all.first?.name == "Bea" && all.last?.name == "Ada" && all[1].name == "Cy")
            let some = all.where { $0.lastName != "Cole" }.sorted(by: \.firstName)
            #expect(some.map(\.name) == ["Ada", "Bea"])
            #expect(some.limit(1).map(\.name) == ["Ada"])
            #expect(try all.sorted(by: [.init(keyPath: "lastName")]).first?.name == "Ada")
            #expect(all.distinct(by: [\.mood]).count == 1)
            #expect(all.index(of: try realm.ada()) == 2)
            let names = try await realm.write { tx in
                let live = tx.objects(EmployeeProjection.self).where { $0.id > 1 }
                for employee in live { employee.name += "!" }
                #expect(live.first?.name == "Bea!" && live.last?.name == "Cy!")
                #expect(live.first.flatMap { live.index(of: $0) } == 0)
                return live.freeze()
            }
            #expect(names.map(\.name) == ["Bea!", "Cy!"])
        }
    }

    /// Results of projections took no text.
    @Test("P18, Q10: results of projections are asked by text, in the names of the model")
    func resultsAreQueriedByText() async throws {
        try await withEmployees { realm throws in
            let all = realm.objects(EmployeeProjection.self)
            #expect(try all.filter("lastName == %@", "Cole").map(\.name) == ["Cy"])
            let others = try all.filter("lastName != $name", arguments: ["name": "Cole"])
            #expect(others.map(\.name) == ["Bea", "Ada"])
            #expect(throws: RealmError.self) { try all.filter("lastNameCaps == 'COLE'") }
            try await realm.write { tx in
                let live = tx.objects(EmployeeProjection.self)
                let some = try live.filter("home.city == 'Rome'")
                let others = try live.filter("id > $id", arguments: ["id": 1])
                #expect(some.map(\.name) == ["Ada"] && others.map(\.name) == ["Bea", "Cy"])
                some.first?.name = "Ann"
                #expect(some.first?.name == "Ann")
                #expect(throws: RealmError.self) { try live.filter("name == 'Ann'") }
            }
        }
    }

    @Test("P18: counts, one element and computed properties of elements are projected")
    func partsOfCollectionsAreProjected() async throws {
        try await withEmployees { realm in
            let first = realm.objects(CountProjection.self).where { $0.id == 1 }.first
            let ada = try #require(first)
            #expect(ada.friendCount == 1 && ada.firstBadge == 1)
            #expect(Set(ada.fullNames) == ["Bea Bell", "Cy Cole"])
            #expect(ada.description.contains("friendCount = 1;"))
            try await realm.write { tx in
                let live = try #require(tx.objects(CountProjection.self).last)
                live.rootObject.friends.removeAll()
                live.rootObject.badges.removeAll()
                #expect(live.friendCount == 0 && live.firstBadge == nil)
            }
            #expect(ada.friendCount == 1)
        }
    }

    @Test("P18, F7: freezing and thawing are those of objects")
    @MainActor func freezeAndThawAreThoseOfObjects() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            let frozen = ada.freeze()
            try await live.write { ada.name = "Ann" }
            #expect(frozen.name == "Ada" && ada.name == "Ann" && ada.freeze().name == "Ann")
            #expect(frozen.thaw(in: live)?.name == "Ann")
            #expect(live.resolve(frozen) == ada)
            try await live.write { try live.delete(ada.rootObject) }
            #expect(ada.isInvalidated && ada.realm == nil)
            #expect(frozen.thaw(in: live) == nil && frozen.name == "Ada")
        }
    }

    @Test("P18, F7: a projected collection can be frozen, and is invalidated with its object")
    @MainActor func projectedCollectionsHaveALifeOfTheirOwn() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            let names = ada.friendsNames
            let (frozen, reviewers) = (names.freeze(), ada.reviewers.freeze())
            try await live.write {
                names[0] = "Bob"
                #expect(Array(names.freeze()) == ["Bob"])
            }
            #expect(names.realm == realm && !names.isInvalidated)
            #expect(Array(names) == ["Bob"] && Array(frozen) == ["Bea"])
            #expect(Set(reviewers) == ["Bell", "Cole"])
            try await live.write { try live.delete(ada.rootObject) }
            #expect(names.isInvalidated && names.realm == nil)
            #expect(Array(frozen) == ["Bea"])
        }
        let unmanaged = EmployeeProjection(projecting: Employee()).friendsNames
        #expect(unmanaged.realm == nil && !unmanaged.isInvalidated && unmanaged.isEmpty)
    }

    @Test @MainActor func equalityAndHashAreThoseOfObjects() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            let again = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            let bea = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 2))
            #expect(ada == again && ada.hashValue == again.hashValue && ada != bea)
            #expect(ada.isSameObject(as: again) && !ada.isSameObject(as: bea))
            #expect(ada.id == again.id && ada.id == ada.freeze().id)
            let frozen = try realm.ada()
            #expect(try frozen == realm.ada())
            #expect(try Set([frozen, realm.ada()]).count == 1)
            try await realm.write { tx in tx.objects(Employee.self).first?.salary = 1 }
            #expect(try frozen != realm.ada())
        }
    }

    @Test @MainActor func aLiveProjectionTakesPartInObservation() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            let notified = Mutex<[String]>([])
            withObservationTracking {
                _ = ada.name
            } onChange: {
                notified.withLock { $0.append("name") }
            }
            withObservationTracking {
                _ = ada.friendsNames.count
            } onChange: {
                notified.withLock { $0.append("friends") }
            }
            withObservationTracking {
                _ = ada.mood
            } onChange: {
                notified.withLock { $0.append("mood") }
            }
            let json = Data(#"{"id": 1, "firstName": "Ann", "friends": []}"#.utf8)
            try await live.write { try live.create(Employee.self, json: json, update: .modified) }
            #expect(notified.withLock { $0.sorted() } == ["friends", "name"])
        }
    }

    @Test func aProjectionIsDescribedByItsNames() async throws {
        try await withEmployees { realm in
            let text = try realm.ada().description
            #expect(text.hasPrefix("EmployeeProjection {\n\tname = Ada;\n\tlastNameCaps = ASH;"))
            #expect(text.contains("homeCity = Rome;"))
        }
    }

    @Test func aFrozenProjectionEncodesByItsNames() async throws {
        try await withEmployees { realm in
            let data = try JSONEncoder().encode(realm.ada())
            let json = try #require(
                try JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(json["name"] as? String == "Ada" && json["homeCity"] as? String == "Rome")
            #expect(json["friendsNames"] as? [String] == ["Bea"])
            #expect(json["salary"] == nil && json["mood"] as? String == "calm")
        }
    }
}
