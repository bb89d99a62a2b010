import Foundation
import RealmActors

final class Employee: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var firstName: String
    @Persisted var lastName: String
    @Persisted var salary: Int
    @Persisted var mood: Mood = .calm
    @Persisted var home: Address?
    @Persisted var boss: Employee?
    @Persisted var friends: List<Employee>
    @Persisted var reviewers: MutableSet<Employee>
    @Persisted var reviews: List<String>
    @Persisted var badges: MutableSet<Int>
    @Persisted var notes: Map<String, AnyRealmValue>
    @Persisted var extra: AnyRealmValue
    @Persisted(originProperty: "boss") var staff: LinkingObjects<Employee>
    var fullName: String { firstName + " " + lastName }

    static let types: [ObjectBase.Type] = [Employee.self, Address.self]
}

class NameProjection: Projection<Employee> {
    @Projected(\Employee.firstName) var name
}

final class EmployeeProjection: NameProjection, Identifiable {
    @Projected(\Employee.lastName.localizedUppercase) var lastNameCaps
    @Projected(\Employee.home?.city) var homeCity
    @Projected(\Employee.home?.street) var homeStreet
    @Projected(\Employee.boss) var chief
    @Projected(\Employee.boss?.firstName) var bossName
    @Projected(\Employee.friends.projectTo.firstName) var friendsNames: ProjectedCollection<String>
    @Projected(\Employee.reviewers.projectTo.lastName) var reviewers: ProjectedCollection<String>
    @Projected(\Employee.friends) var friends
    @Projected(\Employee.reviews) var reviews
    @Projected(\Employee.badges) var badges
    @Projected(\Employee.notes) var notes
    @Projected(\Employee.extra) var extra
    @Projected(\Employee.staff) var staff
    @Projected(\Employee.mood) var mood
    @Projected(\Employee.fullName) var label

    var id: ObjectReference<Employee> { reference }

    func greeting() -> String { "Dear \(name)" }
}

/// A realm with Ada, whose boss and friend is Bea, and whose reviewers are Bea and Cy.
func withEmployees<R>(_ body: (Realm) async throws -> R) async throws -> R {
    try await withFreshRealm(Employee.types) { realm in
        try await realm.write { tx in
            let values: [String: Any] = ["id": 2, "firstName": "Bea", "lastName": "Bell"]
            let bea = try tx.create(Employee.self, value: values)
            let cy = try tx.create(
                Employee.self, value: ["id": 3, "firstName": "Cy", "lastName": "Cole"])
            try tx.create(
                Employee.self,
                value: [
                    "id": 1, "firstName": "Ada", "lastName": "Ash",
                    "home": ["street": "Elm", "city": "Rome"], "boss": bea, "friends": [bea],
                    "reviewers": [bea, cy], "reviews": ["good", "better"], "badges": [3, 1],
                    "notes": ["seat": 4], "extra": "x",
                ] as [String: Any])
        }
        return try await body(realm)
    }
}

extension Realm {
    /// The frozen projection of Ada.
    func ada() throws -> FrozenProjection<EmployeeProjection> {
        guard let ada = object(EmployeeProjection.self, forPrimaryKey: 1) else {
            throw RealmError.invalidObject("There is no Ada.")
        }
        return ada
    }
}
