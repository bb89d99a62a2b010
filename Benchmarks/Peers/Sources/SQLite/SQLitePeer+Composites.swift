extension SQLitePeer {
    /// Pages go on behind the last row of the one before, which is what an index serves best.
    static func composites(path: String, entries count: Int) throws -> PeerComposites? {
        let connection = try connect(path)
        defer { connection.close() }
        try connection.execute(
            """
            CREATE TABLE entries (
                id INTEGER PRIMARY KEY, account INTEGER NOT NULL, day INTEGER NOT NULL,
                amount INTEGER NOT NULL);
            CREATE INDEX entries_account_day ON entries (account, day);
            """)
        let add = try connection.prepare("INSERT INTO entries VALUES (?, ?, ?, ?)")
        try connection.transaction {
            for number in 0..<count {
                add.bind(number, at: 1)
                add.bind(Ledger.account(number, of: count), at: 2)
                add.bind(Ledger.day(number), at: 3)
                add.bind(Ledger.amount(number), at: 4)
                try add.run()
            }
        }
        _ = try lookUp(connection, count)
        let lookUps = try (0..<3).map { _ in try timed { try lookUp(connection, count) } }
        _ = try walkPages(connection, count)
        let pages = try (0..<3).map { _ in try timed { try walkPages(connection, count) } }
        return PeerComposites(
            lookUpSeconds: lookUps.map(\.seconds).median, sum: lookUps[0].result,
            pageSeconds: pages.map(\.seconds).median, pages: pages[0].result.pages,
            hash: pages[0].result.hash)
    }

    private static func lookUp(_ connection: SQLiteConnection, _ count: Int) throws -> Int {
        let find = try connection.prepare(
            "SELECT amount FROM entries WHERE account = ? AND day = ?")
        return try connection.transaction("BEGIN") {
            var sum = 0
            for number in 0..<Ledger.lookUps(count) {
                let sought = Ledger.sought(number, of: count)
                find.bind(Ledger.account(sought, of: count), at: 1)
                find.bind(Ledger.day(sought), at: 2)
                try find.forEach { sum += find.int(0) }
            }
            return sum
        }
    }

    private static func walkPages(
        _ connection: SQLiteConnection, _ count: Int
    ) throws -> (pages: Int, hash: UInt64) {
        let find = try connection.prepare(
            """
            SELECT amount, day, id FROM entries WHERE account = ? AND (day, id) > (?, ?)
            ORDER BY day, id LIMIT \(Ledger.pageSize + 1)
            """)
        return try connection.transaction("BEGIN") {
            var (pages, hash) = (0, UInt64(0))
            for account in Ledger.paged(count) {
                var last = (day: -1, id: -1)
                var found = 0
                repeat {
                    find.bind(account, at: 1)
                    find.bind(last.day, at: 2)
                    find.bind(last.id, at: 3)
                    found = 0
                    // One more than a page has says whether there is another.
                    try find.forEach {
                        found += 1
                        if found > Ledger.pageSize { return }
                        Ledger.append(find.int(0), to: &hash)
                        last = (find.int(1), find.int(2))
                    }
                    pages += 1
                } while found > Ledger.pageSize
            }
            return (pages, hash)
        }
    }
}
