extension Snippet {
    /// Frozen values cannot be changed.
    static let frozenMisuse: [Snippet] = [
        .rejected(
            "an assignment through a frozen object", "cannot assign through dynamic lookup",
            """
            func change(_ dog: Frozen<Dog>) { dog.age = 2 }
            """),
        .rejected(
            "an assignment through a frozen link", "error:",
            """
            func change(_ dog: Frozen<Dog>) { dog.owner?.name = "Ada" }
            """),
        .rejected(
            "an append to a frozen list", "append",
            """
            func change(_ person: Frozen<Person>, _ dog: Dog) { person.dogs.append(dog) }
            """),
        .rejected(
            "a method of the model called on a frozen object", "cannot refer to instance method",
            """
            extension Dog { func bark() {} }
            func call(_ dog: Frozen<Dog>) { dog.bark() }
            """),
        .rejected(
            "a frozen object given to a transaction as an object", "Frozen<Dog>",
            """
            func delete(_ tx: WriteTransaction, _ dog: Frozen<Dog>) throws { try tx.add(dog) }
            """),
    ]

    /// Queries speak of the class they ask for, with values of the right type.
    static let queryMisuse: [Snippet] = [
        .rejected(
            "a number compared with text", "'String'",
            """
            func ask(_ dogs: FrozenResults<Dog>) -> Int { dogs.where { $0.age == "x" }.count }
            """),
        .rejected(
            "a property that the class does not have", "colour",
            """
            func ask(_ dogs: FrozenResults<Dog>) -> Int { dogs.where { $0.colour == "x" }.count }
            """),
        .rejected(
            "sorting by a key path of another class", "a property of the objects' own class",
            """
            func ask(_ dogs: FrozenResults<Dog>) -> Int {
                dogs.sorted(by: \\Person.name, ascending: true).count
            }
            """),
        .rejected(
            "sorting by what is not stored", "sort by a persisted property",
            """
            extension Dog { var page: URL { URL(fileURLWithPath: name) } }
            func ask(_ dogs: FrozenResults<Dog>) -> Int { dogs.sorted(by: \\.page).count }
            """),
        .rejected(
            "sorting by a property that the class does not have", "colour",
            """
            func ask(_ dogs: FrozenResults<Dog>) -> Int { dogs.sorted(by: \\Dog.colour).count }
            """),
        .rejected(
            "a list of numbers compared with a text", "error:",
            """
            func ask(_ people: FrozenResults<Person>) -> Int {
                people.where { $0.ages == "x" }.count
            }
            """),
        .rejected(
            "watching a key path of another class", "'Person'",
            """
            func watch(_ dog: Frozen<Dog>) { _ = dog.changes(keyPaths: [\\Person.name]) }
            """),
        .rejected(
            "a text operator on a number", "'Int'",
            """
            func ask(_ dogs: FrozenResults<Dog>) -> Int {
                dogs.where { $0.age.starts(with: "x") }.count
            }
            """),
    ]
}
