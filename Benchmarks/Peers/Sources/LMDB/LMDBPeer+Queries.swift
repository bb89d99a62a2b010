extension LMDBPeer {
    func objectCount() throws -> Int {
        try environment.read {
            try $0.count(environment.persons) + $0.count(environment.strings)
        }
    }

    func name(of key: Int) throws -> String? {
        try environment.read { try $0.person(key)?.nameText }
    }

    func sumByKey(_ count: Int, key: (Int) -> Int) throws -> Int {
        try environment.read { transaction in
            var sum = 0
            for index in 0..<count {
                guard let person = try transaction.person(key(index)) else { continue }
                sum += person.initial + person.age
            }
            return sum
        }
    }

    func sumByEmail(_ emails: [String]) throws -> Int {
        try environment.read { transaction in
            var sum = 0
            for email in emails {
                guard let person = try transaction.person(email: email) else { continue }
                sum += person.initial + person.age
            }
            return sum
        }
    }

    func count(_ condition: PeerCondition) throws -> Int {
        switch condition {
        case .olderAndActive: try fold(0) { if $1.age > 30, $1.isActive { $0 += 1 } }
        case .nameBegins:
            try fold(0) {
                let name = $1.name
                if name.count >= 2, name[0] == letter("a"), name[1] == letter("b") { $0 += 1 }
            }
        case .nameContains:
            try fold(0) {
                if $1.nameContains(letter("x"), letter("y"), letter("z")) { $0 += 1 }
            }
        case .ageRemainder: try fold(0) { if $1.age % 7 == 3 { $0 += 1 } }
        }
    }

    func aggregate(_ aggregate: PeerAggregate) throws -> Double {
        switch aggregate {
        case .scoreSum: try fold(0.0) { $0 += $1.score }
        case .ageSum: try Double(fold(0) { $0 += $1.age })
        case .ageAverage:
            try Double(fold(0) { $0 += $1.age })
                / Double(environment.read { try $0.count(environment.persons) })
        case .ageMinimum: try Double(fold(Int.max) { $0 = min($0, $1.age) })
        case .ageMaximum: try Double(fold(Int.min) { $0 = max($0, $1.age) })
        }
    }

    /// LMDB does not sort; this sorts by the first eight bytes of the names, which are compared as
    /// one number, as a program that is tuned for it would.
    func firstThousand(limited: Bool) throws -> PeerEnds? {
        if limited { return nil }
        return try environment.read { transaction in
            let sorted = try sortedByName(transaction).prefix(1000)
            return PeerEnds(
                first: sorted.first?.person.nameText ?? "",
                last: sorted.last?.person.nameText ?? "")
        }
    }

    func hashOfAgesByName() throws -> UInt64 {
        try environment.read { transaction in
            try sortedByName(transaction).reduce(0) { $0 &* 31 &+ UInt64($1.person.age) }
        }
    }

    func sumOfAll() throws -> Int {
        try fold(0) { $0 += $1.age + $1.initial }
    }

    private struct Entry {
        var prefix: UInt64
        var person: LMDBPerson
    }

    private func sortedByName(_ transaction: LMDBTransaction) throws -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(try transaction.count(environment.persons))
        try transaction.forEachPerson {
            entries.append(Entry(prefix: $0.namePrefix, person: $0))
        }
        entries.sort {
            $0.prefix == $1.prefix
                ? $0.person.name.lexicographicallyPrecedes($1.person.name) : $0.prefix < $1.prefix
        }
        return entries
    }

    private func fold<R>(_ initial: R, _ next: (inout R, LMDBPerson) -> Void) throws -> R {
        try environment.read { transaction in
            var result = initial
            try transaction.forEachPerson { next(&result, $0) }
            return result
        }
    }

    private func letter(_ letter: Unicode.Scalar) -> UInt8 { UInt8(ascii: letter) }
}
