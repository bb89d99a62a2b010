extension Snippet {
    /// Functions of Realm that have another name here, which the compiler reports.
    static let unavailableDeclarations: [Snippet] = [
        .rejected(
            "a realm opened by its initialiser", "Realm.open(configuration)",
            """
            func opensByInit() throws -> Realm { try Realm() }
            """),
        .rejected(
            "a realm opened for an actor", "realm.live()",
            """
            actor Kennel {
                func open() async throws { _ = try await Realm(actor: self) }
            }
            """),
        .rejected(
            "an object asked for by its type and key", "object(_:forPrimaryKey:)",
            """
            func findsByType(_ realm: Realm, _ id: UUID) -> Bool {
                realm.object(ofType: Person.self, forPrimaryKey: id) != nil
            }
            """),
        .rejected(
            "a live object asked for by its type and key", "object(_:forPrimaryKey:)",
            """
            func findsByType(_ live: LiveRealm, _ id: UUID) -> Bool {
                live.object(ofType: Person.self, forPrimaryKey: id) != nil
            }
            """),
        .rejected(
            "an object added without a transaction", "tx.add(object)",
            """
            func addsAtOnce(_ realm: Realm) { realm.add(Dog()) }
            """),
        .rejected(
            "an object created without a transaction", "tx.create(",
            """
            func createsAtOnce(_ realm: Realm) {
                _ = realm.create(Dog.self, value: ["name": "Rex"])
            }
            """),
        .rejected(
            "an object deleted without a transaction", "tx.delete(object)",
            """
            func deletesAtOnce(_ realm: Realm, _ dog: Dog) { realm.delete(dog) }
            """),
    ]
}
