import RealmActors

extension Dataset {
    /// An unmanaged person; the key is the number unless another one is given.
    static func person(_ number: Int, key: Int? = nil) -> Person {
        let person = Person()
        person.id = key ?? number
        person.name = name(number)
        person.age = age(number)
        person.score = score(number)
        person.active = isActive(number)
        person.email = email(number)
        return person
    }

    /// An unmanaged string object.
    static func string(_ number: Int) -> StringObject {
        let object = StringObject()
        object.string = text(number)
        return object
    }

    /// Makes persons and adds them.
    static func insert(_ numbers: Range<Int>, into tx: WriteTransaction) throws {
        for number in numbers { try tx.add(person(number)) }
    }
}
