import GRDB

extension GRDBPeer {
    static let byKey = "SELECT * FROM persons WHERE id = ?"
    private static let byEmail = "SELECT * FROM persons WHERE email = ?"

    func objectCount() throws -> Int {
        try pool.read { try PersonRecord.fetchCount($0) + StringRecord.fetchCount($0) }
    }

    func name(of key: Int) throws -> String? {
        try pool.read { try PersonRecord.fetchOne($0, key: key)?.name }
    }

    func sumByKey(_ count: Int, key: (Int) -> Int) throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: Self.byKey)
            var sum = 0
            for index in 0..<count {
                let person = try PersonRecord.fetchOne(statement, arguments: [key(index)])
                if let person { sum += person.initial + person.age }
            }
            return sum
        }
    }

    func sumByEmail(_ emails: [String]) throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: Self.byEmail)
            var sum = 0
            for email in emails {
                let person = try PersonRecord.fetchOne(statement, arguments: [email])
                if let person { sum += person.initial + person.age }
            }
            return sum
        }
    }

    func count(_ condition: PeerCondition) throws -> Int {
        let name = PersonRecord.Columns.name
        let request =
            switch condition {
            case .olderAndActive:
                PersonRecord.filter(
                    PersonRecord.Columns.age > 30 && PersonRecord.Columns.active == true)
            case .nameBegins: PersonRecord.filter(name >= "ab" && name < "ac")
            case .nameContains: PersonRecord.filter(sql: "instr(name, 'xyz') > 0")
            case .ageRemainder: PersonRecord.filter(sql: "age % 7 = 3")
            }
        return try pool.read { try request.fetchCount($0) }
    }

    func aggregate(_ aggregate: PeerAggregate) throws -> Double {
        let expression: any SQLSpecificExpressible =
            switch aggregate {
            case .scoreSum: sum(PersonRecord.Columns.score)
            case .ageSum: sum(PersonRecord.Columns.age)
            case .ageAverage: average(PersonRecord.Columns.age)
            case .ageMinimum: min(PersonRecord.Columns.age)
            case .ageMaximum: max(PersonRecord.Columns.age)
            }
        return try pool.read {
            try Double.fetchOne($0, PersonRecord.select([expression])) ?? .nan
        }
    }

    func firstThousand(limited: Bool) throws -> PeerEnds? {
        let all = PersonRecord.order(PersonRecord.Columns.name)
        let request = limited ? all.limit(1000) : all
        return try pool.read { database in
            let persons = try request.fetchCursor(database)
            var ends = PeerEnds(first: "", last: "")
            var walked = 0
            while walked < 1000, let person = try persons.next() {
                ends.last = person.name
                if walked == 0 { ends.first = ends.last }
                walked += 1
            }
            return ends
        }
    }

    func hashOfAgesByName() throws -> UInt64 {
        let request = PersonRecord.select(PersonRecord.Columns.age)
            .order(PersonRecord.Columns.name)
        return try pool.read { database in
            let ages = try Int.fetchCursor(database, request)
            var hash: UInt64 = 0
            while let age = try ages.next() { hash = hash &* 31 &+ UInt64(age) }
            return hash
        }
    }

    func sumOfAll() throws -> Int {
        try pool.read { database in
            let persons = try PersonRecord.fetchCursor(database)
            var sum = 0
            while let person = try persons.next() { sum += person.age + person.initial }
            return sum
        }
    }
}
