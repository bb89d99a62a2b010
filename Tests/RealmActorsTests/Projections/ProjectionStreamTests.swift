import Foundation
import RealmActors
import Testing

/// The changes of projections, and their names.
@Suite struct ProjectionStreamTests {
    typealias Ada = FrozenProjection<EmployeeProjection>

    /// The elements of a stream of Ada for one write.
    private func propertyChanges(
        _ keyPaths: [PartialKeyPath<EmployeeProjection>] = [],
        _ write: @Sendable (Employee) throws -> Void
    ) async throws -> [PropertyChange] {
        try await withEmployees { realm in
            var changes = try realm.ada().changes(keyPaths: keyPaths).makeAsyncIterator()
            try await realm.write { tx in
                try write(try #require(tx.object(Employee.self, forPrimaryKey: 1)))
            }
            guard case .change(_, let properties) = try await changes.next() else { return [] }
            return properties
        }
    }

    @Test("P18: changes have projected names and values")
    func changesHaveProjectedNamesAndValues() async throws {
        let changes = try await propertyChanges { $0.firstName = "Ann" }
        // The computed property reads the first name too.
        #expect(changes.map(\.name) == ["name", "label"])
        #expect(changes.first?.oldValue == .string("Ada"))
        #expect(changes.first?.newValue == .string("Ann"))
        #expect(changes.last?.newValue == .string("Ann Ash"))
        let caps = try await propertyChanges([\.lastNameCaps]) { $0.lastName = "Axe" }
        #expect(caps.map(\.name) == ["lastNameCaps"])
        #expect(caps[0].oldValue == .string("ASH") && caps[0].newValue == .string("AXE"))
    }

    @Test("P18: all properties that share a changed root are reported, even if unchanged")
    func allThatShareAChangedRootAreReportedEvenIfUnchanged() async throws {
        let changes = try await propertyChanges { $0.home?.city = "Oslo" }
        #expect(changes.map(\.name) == ["homeCity", "homeStreet"])
        #expect(changes[0].oldValue == .string("Rome") && changes[0].newValue == .string("Oslo"))
        #expect(changes[1].oldValue == .string("Elm") && changes[1].newValue == .string("Elm"))
    }

    @Test func keyPathsDetermineWhatIsReported() async throws {
        let city = try await propertyChanges([\.homeCity]) { $0.home?.city = "Oslo" }
        #expect(city.map(\.name) == ["homeCity"])
        let both = try await propertyChanges([\.homeCity, \.name]) {
            $0.salary = 7
            $0.firstName = "Ann"
        }
        #expect(both.map(\.name) == ["name"])
    }

    @Test func elementsOfAProjectedCollectionAreWatched() async throws {
        let names = try await propertyChanges([\.friendsNames]) { $0.friends[0].firstName = "Bob" }
        #expect(names.map(\.name) == ["friendsNames"])
        #expect(names[0].oldValue == nil && names[0].newValue == nil)
        let reviewers = try await propertyChanges([\.reviewers]) { $0.boss?.lastName = "Bold" }
        #expect(reviewers.map(\.name) == ["reviewers"])
    }

    @MainActor private final class Notified {
        var names: [String] = []
    }

    @MainActor private static func observeAda(_ realm: Realm) async throws {
        let live = try await realm.live()
        let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
        let notified = Notified()
        let token = try ada.observe(keyPaths: [\.homeCity]) { change in
            if case .change(_, let properties) = change { notified.names += properties.map(\.name) }
        }
        let other = try ada.observe(on: MainActor.shared, keyPaths: ["name"]) { _, _ in
            Issue.record("called")
        }
        try await realm.write { tx in
            tx.object(Employee.self, forPrimaryKey: 1)?.home?.city = "Oslo"
        }
        while notified.names.isEmpty { await Task.yield() }
        #expect(notified.names == ["homeCity"])
        #expect(!token.isInvalidated && !other.isInvalidated)
        #expect(throws: RealmError.self) { try ada.observe(keyPaths: ["nothing"]) { _ in } }
        // The token was returned, and nothing was ever reported.
        try await live.beginWrite()
        #expect(throws: RealmError.self) { try ada.observe { _ in } }
        live.cancelWrite()
        let unmanaged = EmployeeProjection(projecting: Employee())
        #expect(throws: RealmError.self) { try unmanaged.observe { _ in } }
    }

    @Test func aLiveProjectionIsObservedWithClosures() async throws {
        try await withEmployees { realm in try await Self.observeAda(realm) }
    }

    @Test func whatIsNotProjectedIsNotReported() async throws {
        try await withEmployees { realm in
            var changes = try realm.ada().changes().makeAsyncIterator()
            try await realm.write { tx in
                tx.object(Employee.self, forPrimaryKey: 1)?.salary = 5
            }
            try await realm.write { tx in
                tx.object(Employee.self, forPrimaryKey: 1)?.mood = .playful
            }
            guard case .change(let ada, let properties) = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(properties.map(\.name) == ["mood"] && ada.mood == .playful)
        }
    }

    @Test func textKeyPathsAreProjectedNames() async throws {
        try await withEmployees { realm in
            var changes = try realm.ada().changes(keyPaths: ["name", "chief.lastName"])
                .makeAsyncIterator()
            try await realm.write { tx in
                let ada = try #require(tx.object(Employee.self, forPrimaryKey: 1))
                ada.boss?.lastName = "Bold"
                ada.home = nil
            }
            guard case .change(_, let properties) = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(properties.map(\.name) == ["chief"])
            var wrong = try realm.ada().changes(keyPaths: ["firstName"]).makeAsyncIterator()
            await #expect(throws: RealmError.self) { try await wrong.next() }
        }
    }

    @Test func aDeletedObjectEndsTheStream() async throws {
        try await withEmployees { realm in
            var changes = try realm.ada().changes(keyPaths: [\.name]).makeAsyncIterator()
            try await realm.write { tx in
                try tx.delete(try #require(tx.object(Employee.self, forPrimaryKey: 1)))
            }
            guard case .deleted = try await changes.next() else {
                Issue.record("not reported as deleted")
                return
            }
            #expect(try await changes.next() == nil)
        }
    }

    @Test func resultsOfProjectionsAreWatched() async throws {
        try await withEmployees { realm in
            let staff = realm.objects(NameProjection.self).sorted(by: \.id)
            var changes = staff.changes().makeAsyncIterator()
            guard case .initial(let first)? = try await changes.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(first.map(\.name) == ["Ada", "Bea", "Cy"])
            try await realm.write { tx in
                tx.object(Employee.self, forPrimaryKey: 2)?.salary = 5
                tx.object(Employee.self, forPrimaryKey: 3)?.firstName = "Cid"
                try tx.create(Employee.self, value: ["id": 4, "firstName": "Dan"])
            }
            guard
                case .update(let now, let deleted, let new, let modified)? =
                    try await changes.next()
            else {
                Issue.record("no update")
                return
            }
            #expect(now.map(\.name) == ["Ada", "Bea", "Cid", "Dan"])
            #expect(deleted.isEmpty && new == [3] && modified == [2])
        }
    }

    /// They had no changes, other than all that is live.
    @Test("N28: results of projections of a live realm are watched too") @MainActor
    func resultsOfProjectionsOfALiveRealmAreWatchedToo() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let staff = live.objects(NameProjection.self).sorted(by: \.id)
            var changes = staff.changes().makeAsyncIterator()
            guard case .initial(let first)? = try await changes.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(first.map(\.name) == ["Ada", "Bea", "Cy"])
            try await live.write { staff.first?.name = "Ann" }
            guard case .update(let now, [], [], [0])? = try await changes.next() else {
                Issue.record("no update")
                return
            }
            #expect(now.first?.name == "Ann")
            live.invalidate()
            var none = staff.changes().makeAsyncIterator()
            await #expect(throws: RealmError.self) { try await none.next() }
        }
    }

    @Test @MainActor func aLiveProjectionIsWatchedToo() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            var changes = ada.changes(keyPaths: [\.name]).makeAsyncIterator()
            try await live.write { ada.name = "Ann" }
            guard case .change(let now, _) = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(now.name == "Ann")
            // This one ended the process.
            var unmanaged = EmployeeProjection(projecting: Employee()).changes()
                .makeAsyncIterator()
            await #expect(throws: RealmError.self) { try await unmanaged.next() }
        }
    }
}
