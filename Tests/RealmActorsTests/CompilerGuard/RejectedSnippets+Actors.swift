extension Snippet {
    /// A live realm and its objects stay on their actor.
    static let escapesFromActors: [Snippet] = [
        .rejected(
            "a live realm that leaves its actor", "non-Sendable",
            """
            actor Kennel {
                var live: LiveRealm?
                func open(_ realm: Realm) async throws { live = try await realm.live() }
                func lend() -> LiveRealm? { live }
            }
            func borrow(_ kennel: Kennel) async -> Bool { await kennel.lend() != nil }
            """),
        .rejected(
            "a live object that leaves its actor", "non-Sendable",
            """
            actor Kennel {
                var dog: Dog?
                func lend() -> Dog? { dog }
            }
            func borrow(_ kennel: Kennel) async -> Int? { await kennel.lend()?.age }
            """),
        .rejected(
            "a live object captured by a detached task", "data race",
            """
            actor Kennel {
                var dog: Dog?
                func run() {
                    let dog = dog
                    Task.detached { dog?.age += 1 }
                }
            }
            """),
        .rejected(
            "live results sent to the main actor", "data race",
            """
            @MainActor func show(_ dogs: Results<Dog>) {}
            actor Kennel {
                var live: LiveRealm?
                func run() async {
                    if let dogs = live?.objects(Dog.self) { await show(dogs) }
                }
            }
            """),
        .rejected(
            "a live realm opened without an actor", "Realm.CallingActor",
            """
            func open(_ realm: Realm) async throws -> Int {
                let live = try await realm.live()
                return live.objects(Dog.self).count
            }
            """),
        .rejected(
            "a live realm opened in a concurrent function", "Realm.CallingActor",
            """
            @concurrent func open(_ realm: Realm) async throws {
                _ = try await realm.live()
            }
            """),
        .rejected(
            "an object of a live realm used inside Realm.write", "data race",
            """
            actor Kennel {
                var live: LiveRealm?
                var dog: Dog?
                func run(_ realm: Realm) async throws {
                    let dog = dog
                    try await realm.write { tx in dog?.age += 1 }
                }
            }
            """),
        .rejected(
            "a frozen object thawed in the live realm of another actor", "isolated",
            """
            actor Kennel {
                var live: LiveRealm?
                init() {}
            }
            func thaw(_ dog: Frozen<Dog>, _ kennel: Kennel) -> Int? {
                guard let live = kennel.live else { return nil }
                return dog.thaw(in: live)?.age
            }
            """),
    ]
}
