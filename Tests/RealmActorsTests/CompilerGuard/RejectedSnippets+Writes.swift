extension Snippet {
    /// Nothing live leaves a transaction.
    static let escapesFromWrites: [Snippet] = [
        .rejected(
            "a live object returned from a write", "pass on object.freeze() or object.reference",
            """
            func escape(_ realm: Realm) async throws -> Dog {
                try await realm.write { tx in try tx.create(Dog.self, value: ["name": "Rex"]) }
            }
            """),
        .rejected(
            "a list returned from a write", "pass on list.freeze()",
            """
            func escape(_ realm: Realm) async throws -> List<Dog> {
                try await realm.write { tx in
                    try tx.create(Person.self, value: ["id": UUID()]).dogs
                }
            }
            """),
        .rejected(
            "results returned from a write", "pass on results.freeze()",
            """
            func escape(_ realm: Realm) async throws -> Results<Dog> {
                try await realm.write { tx in tx.objects(Dog.self) }
            }
            """),
        .rejected(
            "a closure that holds an object, returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> () -> Int {
                try await realm.write { tx in
                    let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                    return { dog.age }
                }
            }
            """),
        .rejected(
            "Any returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> Any {
                try await realm.write { tx -> Any in
                    try tx.create(Dog.self, value: ["name": "Rex"])
                }
            }
            """),
        .rejected(
            "the transaction returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> WriteTransaction {
                try await realm.write { tx in tx }
            }
            """),
        .rejected(
            "an object stored in a global", "global",
            """
            var kept: Dog?
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in kept = try tx.create(Dog.self, value: ["age": 1]) }
            }
            """),
        .rejected(
            "an object stored in a captured box that is used later", "data race",
            """
            final class Box { var dog: Dog? }
            func escape(_ realm: Realm) async throws -> Int? {
                let box = Box()
                try await realm.write { tx in
                    box.dog = try tx.create(Dog.self, value: ["name": "Rex"])
                }
                return box.dog?.age
            }
            """),
        .rejected(
            "an object stored in a captured variable", "data races",
            """
            func escape(_ realm: Realm) async throws -> Int? {
                var kept: Dog?
                try await realm.write { tx in
                    kept = try tx.create(Dog.self, value: ["name": "Rex"])
                }
                return kept?.age
            }
            """),
        .rejected(
            "an object stored in the state of an actor", "isolated",
            """
            actor Keeper {
                var kept: Dog?
                func escape(_ realm: Realm) async throws {
                    try await realm.write { tx in
                        self.kept = try tx.create(Dog.self, value: ["name": "Rex"])
                    }
                }
            }
            """),
        .rejected(
            "an object stored in a mutex", "inout sending",
            """
            let kept = Mutex<Dog?>(nil)
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                    kept.withLock { $0 = dog }
                    dog.age = 2
                }
            }
            """),
        .rejected(
            "an object captured by a task", "data race",
            """
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                    Task { dog.age += 1 }
                    dog.age = 2
                }
            }
            """),
        .rejected(
            "the transaction captured by a task", "data race",
            """
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    Task { _ = try tx.create(Dog.self, value: ["name": "Rex"]) }
                }
            }
            """),
        .rejected(
            "an object captured by a dispatch block", "Sendable",
            """
            import Dispatch
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                    DispatchQueue.global().async { dog.age += 1 }
                }
            }
            """),
        .rejected(
            "an object captured by a thread", "Sendable",
            """
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                    Thread.detachNewThread { dog.age += 1 }
                }
            }
            """),
        .rejected(
            "a body that awaits", "async",
            """
            func escape(_ realm: Realm) async throws {
                try await realm.write { tx in
                    try await Task.sleep(for: .seconds(1))
                    _ = try tx.create(Dog.self, value: ["name": "Rex"])
                }
            }
            """),
        .rejected(
            "an object used after it was sent into a write", "data race",
            """
            func escape(_ realm: Realm) async throws -> Int {
                let dog = Dog()
                try await realm.write { tx in try tx.add(dog) }
                return dog.age
            }
            """),
        .rejected(
            "an object resumed through a continuation", "sending",
            """
            func escape(_ realm: Realm, _ waiter: CheckedContinuation<Dog, Never>) async throws {
                try await realm.write { tx in
                    let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                    waiter.resume(returning: dog)
                    dog.age = 2
                }
            }
            """),
    ]
}
