extension SQLitePeer {
    func objectCount() throws -> Int {
        try number("SELECT (SELECT count(*) FROM persons) + (SELECT count(*) FROM strings)")
    }

    func name(of key: Int) throws -> String? {
        byKey.bind(key, at: 1)
        return try byKey.single { $0.string(0) }
    }

    func sumByKey(_ count: Int, key: (Int) -> Int) throws -> Int {
        try connection.transaction("BEGIN") {
            var sum = 0
            for index in 0..<count {
                byKey.bind(key(index), at: 1)
                sum += try byKey.single { $0.firstByte(0) + $0.int(1) } ?? 0
            }
            return sum
        }
    }

    func sumByEmail(_ emails: [String]) throws -> Int {
        try connection.transaction("BEGIN") {
            var sum = 0
            for email in emails {
                byEmail.bind(email, at: 1)
                sum += try byEmail.single { $0.firstByte(0) + $0.int(1) } ?? 0
            }
            return sum
        }
    }

    func count(_ condition: PeerCondition) throws -> Int {
        let clause =
            switch condition {
            case .olderAndActive: "age > 30 AND active"
            // The comparison is quicker than GLOB 'ab*', and instr than LIKE '%xyz%'.
            case .nameBegins: "name >= 'ab' AND name < 'ac'"
            case .nameContains: "instr(name, 'xyz') > 0"
            case .ageRemainder: "age % 7 = 3"
            }
        return try number("SELECT count(*) FROM persons WHERE \(clause)")
    }

    func aggregate(_ aggregate: PeerAggregate) throws -> Double {
        let expression =
            switch aggregate {
            case .scoreSum: "sum(score)"
            case .ageSum: "sum(age)"
            case .ageAverage: "avg(age)"
            case .ageMinimum: "min(age)"
            case .ageMaximum: "max(age)"
            }
        let statement = try connection.prepare("SELECT \(expression) FROM persons")
        return try statement.single { $0.double(0) } ?? .nan
    }

    func sumOfGroups(_ grouping: PeerGrouping) throws -> Double? {
        let statement: SQLiteStatement
        switch grouping {
        case .age:
            statement = try connection.prepare(
                "SELECT age, sum(score), count(*), max(score) FROM persons GROUP BY age")
        case .name:
            statement = try connection.prepare("SELECT name, count(*) FROM persons GROUP BY name")
        }
        var sum = 0.0
        try statement.forEach {
            _ = statement.firstByte(0)
            sum += statement.double(1)
        }
        return sum
    }

    func countOfNames() throws -> Int? {
        try number("SELECT count(DISTINCT name) FROM persons")
    }

    func firstThousand(limited: Bool) throws -> PeerEnds? {
        let limit = limited ? " LIMIT 1000" : ""
        let statement = try connection.prepare("SELECT name FROM persons ORDER BY name\(limit)")
        defer { statement.reset() }
        var ends = PeerEnds(first: "", last: "")
        var walked = 0
        while walked < 1000, try statement.step() {
            ends.last = statement.string(0)
            if walked == 0 { ends.first = ends.last }
            walked += 1
        }
        return ends
    }

    func hashOfAgesByName() throws -> UInt64 {
        let statement = try connection.prepare("SELECT age FROM persons ORDER BY name")
        var hash: UInt64 = 0
        try statement.forEach { hash = hash &* 31 &+ UInt64(statement.int(0)) }
        return hash
    }

    func sumOfAll() throws -> Int {
        let statement = try connection.prepare("SELECT name, age FROM persons")
        var sum = 0
        try statement.forEach { sum += statement.firstByte(0) + statement.int(1) }
        return sum
    }

    private func number(_ sql: String) throws -> Int {
        try connection.prepare(sql).single { $0.int(0) } ?? -1
    }
}
