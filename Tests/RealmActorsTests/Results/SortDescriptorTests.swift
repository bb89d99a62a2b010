import RealmActors
import Testing

/// What Realm's `SortDescriptor` is besides a criterion.
@Suite struct SortDescriptorTests {
    @Test("Q13: a descriptor ascends unless it is said, and can be reversed")
    func directions() {
        let descriptor = RealmSortDescriptor(keyPath: "name")
        #expect(descriptor.ascending && descriptor.keyPath == "name")
        let reversed = descriptor.reversed()
        #expect(!reversed.ascending && reversed.keyPath == "name")
        #expect(reversed.reversed() == descriptor && reversed != descriptor)
    }

    @Test func aDescriptorIsDescribed() {
        let descriptor = RealmSortDescriptor(keyPath: "name")
        #expect(
            descriptor.description == "SortDescriptor(keyPath: name, direction: ascending)")
        #expect(
            descriptor.reversed().description
                == "SortDescriptor(keyPath: name, direction: descending)")
        #expect(
            "\(RealmSortDescriptor(keyPath: "name", collation: .people))"
                == "SortDescriptor(keyPath: name, collation: people, direction: ascending)")
    }

    @Test("Q13: a text is a descriptor that ascends")
    func literals() throws {
        let literal: RealmSortDescriptor = "name"
        #expect(literal == RealmSortDescriptor(keyPath: "name"))
        let dogs = try Kennels.filled().dogs()
        #expect(try dogs.sorted(by: ["name"]).map(\.number) == [3, 4, 0, 5, 1, 2])
        let mixed: [RealmSortDescriptor] = [.init(keyPath: "mood", ascending: false), "age"]
        #expect(try dogs.sorted(by: mixed).map(\.number) == [3, 4, 5, 0, 1, 2])
        #expect(throws: RealmError.self) { try dogs.sorted(by: ["colour"]) }
    }

    /// Objects have no order: sorting by a link compared rows by their numbers.
    @Test("D28: sorting by a link is refused with a hint")
    func sortingByALinkIsRefused() throws {
        let dogs = try Kennels.filled().dogs()
        do {
            _ = try dogs.sorted(by: [RealmSortDescriptor(keyPath: "owner")])
            Issue.record("It sorts")
        } catch {
            #expect("\(error)".contains("'owner.name'"), "\(error)")
        }
        do {
            _ = try dogs.filter("TRUEPREDICATE SORT(owner ASC)")
            Issue.record("It sorts")
        } catch {
            #expect("\(error)".contains("no order"), "\(error)")
        }
        #expect(try dogs.sorted(by: ["owner.name"]).count == 6)
    }
}
