import GRDB

/// A person as GRDB's records are written for speed: columns by position.
struct PersonRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "persons"

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let age = Column("age")
        static let score = Column("score")
        static let active = Column("active")
        static let email = Column("email")
    }

    var id: Int
    var name: String
    var age: Int
    var score: Double
    var active: Bool
    var email: String

    init(_ number: Int, key: Int) {
        id = key
        name = Dataset.name(number)
        age = Dataset.age(number)
        score = Dataset.score(number)
        active = Dataset.isActive(number)
        email = Dataset.email(number)
    }

    init(row: Row) {
        id = row[0]
        name = row[1]
        age = row[2]
        score = row[3]
        active = row[4]
        email = row[5]
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.name] = name
        container[Columns.age] = age
        container[Columns.score] = score
        container[Columns.active] = active
        container[Columns.email] = email
    }

    var initial: Int { Int(name.utf8.first ?? 0) }
}

/// The smallest object: one string.
struct StringRecord: PersistableRecord {
    static let databaseTableName = "strings"

    var string: String

    func encode(to container: inout PersistenceContainer) {
        container["string"] = string
    }
}
