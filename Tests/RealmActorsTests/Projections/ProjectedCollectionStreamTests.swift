import RealmActors
import Testing

/// The changes of projected collections, which had none.
@Suite struct ProjectedCollectionStreamTests {
    @Test("P18: a projected list is watched, as far as it shows its objects")
    func aProjectedListIsWatched() async throws {
        try await withEmployees { realm in
            var changes = try realm.ada().friendsNames.changes().makeAsyncIterator()
            guard case .initial(let first)? = try await changes.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(Array(first) == ["Bea"])
            try await realm.write { tx in
                let cy = try #require(tx.object(Employee.self, forPrimaryKey: 3))
                tx.object(Employee.self, forPrimaryKey: 1)?.friends.insert(cy, at: 0)
            }
            guard case .update(let both, [], [0], [])? = try await changes.next() else {
                Issue.record("no insertion")
                return
            }
            #expect(Array(both) == ["Cy", "Bea"])
            try await realm.write { tx in
                tx.object(Employee.self, forPrimaryKey: 2)?.lastName = "Bold"
                tx.object(Employee.self, forPrimaryKey: 3)?.firstName = "Cid"
            }
            guard case .update(let named, [], [], [0])? = try await changes.next() else {
                Issue.record("no modification, or of what is not shown")
                return
            }
            #expect(Array(named) == ["Cid", "Bea"] && Array(both) == ["Cy", "Bea"])
        }
    }

    @Test("P18: a live projected set is watched, until its object is deleted") @MainActor
    func aLiveProjectedSetIsWatched() async throws {
        try await withEmployees { realm in
            let live = try await realm.live()
            let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
            var changes = ada.reviewers.changes().makeAsyncIterator()
            guard case .initial(let first)? = try await changes.next() else {
                Issue.record("no beginning")
                return
            }
            let cole = try #require(first.firstIndex(of: "Cole"))
            #expect(first.count == 2)
            try await live.write { ada.reviewers[cole] = "Kohl" }
            guard case .update(let renamed, [], [], [cole])? = try await changes.next() else {
                Issue.record("no modification")
                return
            }
            #expect(renamed[cole] == "Kohl")
            try await realm.write { tx in
                try tx.delete(try #require(tx.object(Employee.self, forPrimaryKey: 3)))
            }
            guard case .update(let rest, [cole], [], [])? = try await changes.next() else {
                Issue.record("no deletion")
                return
            }
            #expect(Array(rest) == ["Bell"])
            try await realm.write { tx in
                try tx.delete(try #require(tx.object(Employee.self, forPrimaryKey: 1)))
            }
            guard case .update(let none, [0], [], [])? = try await changes.next() else {
                Issue.record("not reported as deleted")
                return
            }
            #expect(none.isEmpty)
            #expect(try await changes.next() == nil)
        }
    }

    @MainActor private final class Notified {
        var names: [[String]] = []
    }

    private actor Listener {
        private(set) var names: [[String]] = []

        func receive(_ change: CollectionChange<FrozenProjectedCollection<String>>) {
            names.append(Array(change.collection))
        }
    }

    @MainActor private static func observe(_ realm: Realm) async throws {
        let live = try await realm.live()
        let ada = try #require(live.object(EmployeeProjection.self, forPrimaryKey: 1))
        let names = ada.friendsNames
        let (notified, listener) = (Notified(), Listener())
        let tokens = [
            try names.observe { notified.names.append(Array($0.collection)) },
            try names.observe(on: listener) { listener, change in listener.receive(change) },
        ]
        while notified.names.isEmpty { await Task.yield() }
        while await listener.names.isEmpty { await Task.yield() }
        try await live.write { names[0] = "Bob" }
        while notified.names.count < 2 { await Task.yield() }
        while await listener.names.count < 2 { await Task.yield() }
        let others = await listener.names
        #expect(notified.names == [["Bea"], ["Bob"]] && others == notified.names)
        for token in tokens { token.invalidate() }
        let unmanaged = EmployeeProjection(projecting: Employee()).friendsNames
        #expect(throws: RealmError.self) { try unmanaged.observe { _ in } }
        live.invalidate()
        #expect(throws: RealmError.self) { try names.observe { _ in } }
    }

    @Test func aProjectedCollectionIsObservedWithClosures() async throws {
        try await withEmployees { realm in try await Self.observe(realm) }
    }
}
