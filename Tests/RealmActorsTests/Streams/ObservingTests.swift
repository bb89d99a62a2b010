import Foundation
import Testing

@testable import RealmActors

/// An actor that records what it is notified of.
private actor Listener {
    private(set) var records: [String] = []
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    /// Kept by who is notified, as in a program.
    var token: NotificationToken?

    func record(_ text: String) {
        records.append(text)
        if let waiting, records.count >= waiting.count {
            self.waiting = nil
            waiting.continuation.resume()
        }
    }

    /// Waits until so many texts were recorded.
    func awaitRecords(_ count: Int) async -> [String] {
        if records.count < count {
            await withCheckedContinuation { waiting = (count, $0) }
        }
        return records
    }

    func observe(_ dogs: FrozenResults<RowDog>) throws {
        token = try dogs.observe(on: self) { listener, change in listener.record(summary(change)) }
    }

    /// Invalidates the token, and returns how much was recorded at that moment.
    func stop() -> Int {
        token?.invalidate()
        return records.count
    }
}

/// A screen of an app, which records what it is notified of.
@MainActor private final class Screen {
    private(set) var records: Set<String> = []
    private var tokens: [NotificationToken] = []

    func follow(_ dogs: FrozenResults<RowDog>, _ dog: RowDog) throws {
        tokens = try [
            dogs.observe { [weak self] change in self?.record("dogs \(summary(change))") },
            dogs.observe(keyPaths: [\.age]) { [weak self] change in
                self?.record("ages \(summary(change))")
            },
            dog.observe { [weak self] change in self?.record("dog \(summary(change))") },
            dog.observe(keyPaths: ["name"]) { [weak self] change in
                self?.record("name \(summary(change))")
            },
        ]
    }

    /// Live collections of values.
    func follow(_ holder: Holder) throws {
        tokens = try [
            holder.ints.observe { [weak self] change in self?.record("list \(summary(change))") },
            holder.anys.observe { [weak self] change in
                self?.record("any list \(summary(change))")
            },
            holder.intSet.observe { [weak self] change in self?.record("set \(summary(change))") },
            holder.anySet.observe { [weak self] change in
                self?.record("any set \(summary(change))")
            },
            holder.intMap.observe { [weak self] change in self?.record("map \(summary(change))") },
            holder.anyMap.observe { [weak self] change in
                self?.record("any map \(summary(change))")
            },
        ]
    }

    func leave() { tokens = [] }

    private func record(_ text: String) { records.insert(text) }
}

@Suite struct ObservingTests {
    @Test("N27: without another actor, changes are delivered on the main actor")
    @MainActor func onTheMainActor() async throws {
        let world = try await RowWorld()
        let live = try await world.realm.live()
        let dog = try #require(live.object(RowDog.self, forPrimaryKey: 0))
        let dogs = world.realm.objects(RowDog.self)
        let screen = Screen()
        try screen.follow(dogs, dog)
        while screen.records.count < 2 { await Task.yield() }
        #expect(screen.records == ["dogs initial 3", "ages initial 3"])
        try await world.edit { _, dogs in dogs[0].age = 9 }
        while screen.records.count < 5 { await Task.yield() }
        let changes: Set = ["dogs -[] +[] ~[0]", "ages -[] +[] ~[0]", "dog age"]
        #expect(screen.records.subtracting(["dogs initial 3", "ages initial 3"]) == changes)
        screen.leave()
        #expect(dogs.context.snapshot.hub.count == 0)
        let name = try dog.observe(keyPaths: [\.name]) { _ in Issue.record("called") }
        name.invalidate()
        #expect(throws: RealmError.self) { try dogs.observe(keyPaths: ["nothing"]) { _ in } }
        #expect(throws: RealmError.self) { try RowDog().observe { _ in } }
    }

    @Test("N27, N28: so are those of live collections of values")
    @MainActor func valuesOnTheMainActor() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1, "ints": [1, 2]])
            holder.anySet.insert("a")
            holder.intMap["b"] = 3
        }
        let live = try await realm.live()
        let holder = try #require(live.object(Holder.self, forPrimaryKey: 1))
        let screen = Screen()
        try screen.follow(holder)
        while screen.records.count < 6 { await Task.yield() }
        let initial: Set = [
            "list initial 2", "any list initial 0", "set initial 0", "any set initial 1",
            "map initial 1", "any map initial 0",
        ]
        #expect(screen.records == initial)
        try await live.write { holder.anys.append("c") }
        while screen.records.count < 7 { await Task.yield() }
        #expect(screen.records.subtracting(initial) == ["any list -[] +[0] ~[]"])
        screen.leave()
        #expect(throws: RealmError.self) { try Holder().ints.observe { _ in } }
    }

    @Test("N27: observe(on: actor) calls with the isolated actor, in the order of versions")
    func order() async throws {
        let world = try await RowWorld()
        let listener = Listener()
        let token = try world.dog(0).observe(on: listener, keyPaths: [\.age]) { listener, change in
            if case .change(let dog, _) = change { listener.record("\(dog.age)") }
        }
        for age in 1...50 { try await world.edit { _, dogs in dogs[0].age = age } }
        var records = await listener.awaitRecords(1)
        while records.last != "50" { records = await listener.awaitRecords(records.count + 1) }
        let ages = records.compactMap { Int($0) }
        #expect(ages == ages.sorted() && Set(ages).count == ages.count)
        #expect(!token.isInvalidated && token.failure == nil)
    }

    @Test("N7: the token keeps the observation; invalidate() stops it at once")
    func invalidation() async throws {
        let world = try await RowWorld()
        let listener = Listener()
        let dogs = world.realm.objects(RowDog.self)
        try await listener.observe(dogs)
        #expect(await listener.awaitRecords(1) == ["initial 3"])
        try await world.delete(dog: 2)
        #expect(await listener.awaitRecords(2) == ["initial 3", "-[2] +[] ~[]"])
        let count = await listener.stop()
        let hub = dogs.context.snapshot.hub
        #expect(hub.count == 0)
        try await world.delete(dog: 1)
        for _ in 0..<20 { await Task.yield() }
        #expect(await listener.records.count == count)
        #expect(await listener.token?.isInvalidated == true)
    }

    @Test("N7: letting go of the token unsubscribes at once, and of the actor that keeps it")
    func letGo() async throws {
        let world = try await RowWorld()
        let hub = try world.owner.context.snapshot.hub
        var token: NotificationToken? = try world.owner.observe(on: MainActor.shared) { _, _ in }
        #expect(hub.count == 1 && token != nil)
        token = nil
        #expect(hub.count == 0)
        var listener: Listener? = Listener()
        try await listener?.observe(world.realm.objects(RowDog.self))
        _ = await listener?.awaitRecords(1)
        weak let released = listener
        listener = nil
        // A delivery that is under way holds the actor until it has come to its end.
        while released != nil { await Task.yield() }
        while hub.count > 0 { await Task.yield() }
    }

    @Test("N27: in a cancelled task the token is invalid already, and nothing is called")
    func cancelled() async throws {
        let world = try await RowWorld()
        let owner = try world.owner
        let task = Task {
            // Cancelled by whoever has it; until then it waits.
            while !Task.isCancelled { await Task.yield() }
            return try owner.employees.observe(on: MainActor.shared) { _, _ in
                Issue.record("called")
            }
        }
        task.cancel()
        let token = try await task.value
        #expect(token.isInvalidated && owner.context.snapshot.hub.count == 0)
    }

    @Test("N4: after .deleted the token is invalidated")
    func deleted() async throws {
        let world = try await RowWorld()
        let listener = Listener()
        let token = try world.owner.observe(on: listener, keyPaths: ["name"]) { listener, change in
            listener.record(summary(change))
        }
        try await world.deleteOwner()
        #expect(await listener.awaitRecords(1) == ["deleted"])
        while !token.isInvalidated { await Task.yield() }
    }

    @Test("N27, N28: every collection can be observed, live and frozen")
    @MainActor func collections() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.employees.append(dogs[0])
            owner.pack.insert(dogs[0])
            owner.byName["a"] = .some(dogs[0])
        }
        let live = try await world.realm.live()
        let listener = Listener()
        let owner = try #require(live.object(RowOwner.self, forPrimaryKey: 0))
        let dog = try #require(live.object(RowDog.self, forPrimaryKey: 0))
        let frozen = try world.owner
        let tokens = try [
            live.objects(RowDog.self).observe(on: listener, keyPaths: [\.age]) {
                $0.record("results \(summary($1))")
            },
            owner.employees.observe(on: listener, keyPaths: ["age"]) {
                $0.record("list \(summary($1))")
            },
            owner.pack.observe(on: listener, keyPaths: [\.age]) { $0.record("set \(summary($1))") },
            owner.byName.observe(on: listener, keyPaths: ["age"]) {
                $0.record("map \(summary($1))")
            },
            owner.numbers.observe(on: listener) { $0.record("numbers \(summary($1))") },
            dog.owners.observe(on: listener) { $0.record("linking \(summary($1))") },
            frozen.employees.observe(on: listener) { $0.record("frozen list \(summary($1))") },
            frozen.pack.observe(on: listener) { $0.record("frozen set \(summary($1))") },
            frozen.byName.observe(on: listener, keyPaths: [\RowDog.age]) {
                $0.record("frozen map \(summary($1))")
            },
        ]
        let expected = [
            "results initial 3", "list initial 1", "set initial 1", "map initial 1",
            "numbers initial 0", "linking initial 1", "frozen list initial 1",
            "frozen set initial 1", "frozen map initial 1",
        ]
        #expect(Set(await listener.awaitRecords(tokens.count)) == Set(expected))
        for token in tokens { token.invalidate() }
    }
}
