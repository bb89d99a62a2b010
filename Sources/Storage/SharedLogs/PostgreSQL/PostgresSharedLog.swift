#if PostgreSQL
    import Synchronization

    /// A shared log in the tables of a PostgreSQL database.
    ///
    /// One statement appends an entry: it advances the head row if the entry belongs there, and
    /// inserts it. Concurrent appends wait for the lock of that row. A following transaction
    /// notifies the other hosts.
    ///
    /// A row that was read is not necessarily durable: a server that waits for standbys shows it
    /// after a restart although none of them has it. So each new connection begins with a write
    /// that waits for them, which covers everything that was written before.
    package final class PostgresSharedLog: SharedLog {
        let address: PostgresAddress
        let name: String
        let realm: PostgresValue
        /// Nil for a log that is only inspected.
        let durability: SharedLogDurability?
        private let makesLog: Bool
        private let hasOpened = Atomic(false)
        /// How long the server may take to answer.
        let timeout: Duration
        let channel: PostgresChannel
        /// Ends all waits of this end.
        let end = PostgresEnd()

        /// The connections for calls.
        let pool: PostgresPool
        private let trips = Atomic(0)

        /// Connects, refuses a server that may lose what it acknowledges, and creates what is
        /// missing, unless `makesLog` is false: then it is refused. `address`: a connection string
        /// of libpq.
        ///
        /// Without a durability, the log is only inspected: nothing is written, so that no
        /// privilege to write and no standby is required, and nothing proves that the server is
        /// still the primary, or that a standby has what is read.
        package init(
            _ address: String, realm: String, durability: SharedLogDurability?,
            makesLog: Bool = true, timeout: Duration = .seconds(5)
        ) throws(SharedLogError) {
            guard !realm.isEmpty, realm.utf8.count <= 512, !realm.utf8.contains(0) else {
                throw .refused("The name of the realm must have 1 to 512 bytes, none of them zero.")
            }
            self.address = try PostgresAddress(address)
            pool = .shared(
                PostgresPool.Key(
                    address: self.address, durability: durability, timeout: timeout))
            name = realm
            self.realm = .text(realm)
            self.durability = durability
            self.makesLog = makesLog && durability != nil
            self.timeout = timeout
            channel = PostgresChannel(realm: realm)
            // The connection may be one that other realms have made.
            _ = try withConnection { (connection) throws(SharedLogError) in
                try prepareTables(connection, makesLog: mayMakeLog)
            }
            hasOpened.store(true, ordering: .releasing)
        }

        /// Whether the log has been found, or created: a server without it is another one.
        var isOpen: Bool { hasOpened.load(ordering: .acquiring) }

        /// Whether a missing log is created.
        var mayMakeLog: Bool { makesLog && !isOpen }

        var isClosed: Bool { end.isOver }

        /// The round trips of this host's calls and messages so far, for benchmarks: without those
        /// of connecting, of writing images, and of the polling that logs share.
        package var roundTrips: Int { trips.load(ordering: .relaxed) }

        // MARK: Connections

        /// Calls `body` with a connection for one call.
        private func withConnection<R: Sendable>(
            _ body: (PostgresConnection) throws(SharedLogError) -> R
        ) throws(SharedLogError) -> R {
            if isClosed { throw .closed }
            return try pool.withConnection(endingWith: end, connect) {
                (connection) throws(SharedLogError) in
                // The log may have been closed during the wait for a connection, and a request that
                // is sent now could not be waited for.
                if isClosed { throw .closed }
                watch(connection)
                let before = connection.roundTrips
                defer { trips.wrappingAdd(connection.roundTrips - before, ordering: .relaxed) }
                return try body(connection)
            }
        }

        /// Checks that the log is not only inspected, on connections that are not secured for
        /// writing.
        func requireWritable() throws(SharedLogError) {
            if durability == nil { throw .refused("The log was opened for reading only.") }
        }

        func reading(
            _ statement: String, _ values: [PostgresValue]
        ) throws(SharedLogError) -> PostgresResult {
            try withConnection { connection throws(SharedLogError) in
                try connection.read(statement, values)
            }
        }

        // MARK: Entries

        private static let appendStatement = """
            WITH head AS (
                UPDATE realmactors_head SET next = next + 1, last = $4
                WHERE realm = $1 AND next = $2 AND ($5 = 0 OR last = $6)
                AND \(PostgresDurability.isSecured)
                RETURNING realm
            ), entry AS (
                INSERT INTO realmactors_log (realm, slot, body) SELECT realm, $2, $3 FROM head
                RETURNING slot
            )
            SELECT (SELECT count(*) FROM entry), \(PostgresDurability.commitSetting),
                \(PostgresDurability.standbySetting)
            """

        /// After the append, since a server commits transactions that notify one at a time: those
        /// of different realms would wait for each other's sync. This one has none, since it writes
        /// nothing. It is harmless if the slot was taken.
        private static let notifyStatement = "SELECT pg_notify($1, $2)"

        package func append(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            try requireWritable()
            return try withConnection { connection throws(SharedLogError) in
                let result: PostgresResult
                do throws(PostgresConnection.Failure) {
                    result = try connection.run(
                        Self.appendStatement,
                        [
                            realm, .slot(slot), .bytes(entry),
                            .hash(SharedEntryHash(of: entry)), .integer(last == nil ? 0 : 1),
                            .hash(last ?? .none),
                        ],
                        asking: PostgresDurability.question(durability),
                        then: Self.notifyStatement,
                        [
                            .text(channel.name),
                            .text(PostgresChannel.Notification.entry(slot).payload),
                        ])
                } catch {
                    throw error.ofAppending
                }
                guard result.integer(0, 0) == 1 else {
                    // If the session is not secured, nothing was written, even if the slot is
                    // filled.
                    try PostgresDurability.requireSecured(
                        connection, commit: result.text(0, 1), standbys: result.text(0, 2),
                        durability)
                    return false
                }
                do throws(PostgresConnection.Failure) {
                    let standbys = try PostgresDurability.standbys(
                        after: result.text(0, 2), connection, durability)
                    if durability == .quorum, !PostgresDurability.waitsForStandbys(standbys) {
                        throw connection.invalidate("synchronous_standby_names is now empty.")
                    }
                } catch {
                    throw error.ofAppending
                }
                pool.listener.noteAppended(self, slot)
                return true
            }
        }

        /// The entries that fit: the sizes are known without reading the bodies.
        private static let entriesStatement = """
            SELECT slot, body FROM (
                SELECT slot, body, sum(octet_length(body)) OVER (ORDER BY slot) AS size FROM (
                    SELECT slot, body FROM realmactors_log WHERE realm = $1 AND slot >= $2
                    ORDER BY slot LIMIT 1024
                ) AS next
            ) AS sized
            WHERE size <= $3 OR slot = $2 ORDER BY slot
            """

        /// Of a body that is stored out of line, only this prefix is read.
        private static let prefixesStatement = """
            SELECT slot, substring(body FROM 1 FOR $3::integer) FROM realmactors_log
            WHERE realm = $1 AND slot >= $2 ORDER BY slot LIMIT 1024
            """

        package func entries(
            from slot: LogSlot, bytesMax: Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            try entries(from: slot, Self.entriesStatement, bytes: bytesMax)
        }

        package func entries(
            from slot: LogSlot, prefix: Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            try entries(from: slot, Self.prefixesStatement, bytes: prefix)
        }

        /// On one connection: during a failover, others may lead to the previous primary.
        private func entries(
            from slot: LogSlot, _ statement: String, bytes: Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            try withConnection { (connection) throws(SharedLogError) -> [SharedLogEntry] in
                for _ in 0..<2 {
                    let found = try readEntries(from: slot, statement, bytes: bytes, connection)
                    if !found.isEmpty { return found }
                    let head = try keptHead(connection)
                    if slot < head.first { throw .trimmed(first: head.first) }
                    if slot >= head.next { return [] }
                    // It may have been appended since.
                }
                throw .refused("The entry of slot \(slot) is missing.")
            }
        }

        private func readEntries(
            from slot: LogSlot, _ statement: String, bytes: Int, _ connection: PostgresConnection
        ) throws(SharedLogError) -> [SharedLogEntry] {
            let found = try connection.read(
                statement, [realm, .slot(slot), .integer(Int64(bytes))])
            var entries: [SharedLogEntry] = []
            var next = slot
            for row in 0..<found.rows {
                guard LogSlot(column: found.integer(row, 0)) == next else { break }
                entries.append(SharedLogEntry(slot: next, bytes: found.bytes(row, 1)))
                next = next.next
            }
            return entries
        }

        private static let headStatement =
            "SELECT first, next FROM realmactors_head WHERE realm = $1"

        /// The answer of the server, which may no longer be the primary.
        private func keptHead(
            _ connection: PostgresConnection
        ) throws(SharedLogError) -> SharedLogHead {
            try Self.head(connection.read(Self.headStatement, [realm]))
        }

        private static func head(
            _ result: PostgresResult
        ) throws(SharedLogError) -> SharedLogHead {
            guard result.rows == 1 else { throw .refused("The log of the realm was removed.") }
            let head = SharedLogHead(
                first: LogSlot(column: result.integer(0, 0)),
                next: LogSlot(column: result.integer(0, 1)))
            guard head.first >= .first, head.first <= head.next else {
                throw .refused("The head row of the realm is invalid.")
            }
            return head
        }

        /// The head, after a write that the server makes durable with everything before it.
        func provenHead(
            _ connection: PostgresConnection
        ) throws(SharedLogError) -> SharedLogHead {
            try Self.head(PostgresDurability.barrier(connection, realm, durability))
        }

        /// Without its standbys, a replaced server cannot acknowledge the write, so it does not
        /// return the head.
        package func head() throws(SharedLogError) -> SharedLogHead {
            switch durability {
            case .singleServer, nil: try withConnection(keptHead)
            case .quorum: try withConnection(provenHead)
            }
        }

        package func barrier() throws(SharedLogError) {
            try requireWritable()
            _ = try withConnection(provenHead)
        }

        package func send(_ message: [UInt8]) throws(SharedLogError) {
            if isClosed { throw .closed }
            let notification = PostgresChannel.Notification.message(message)
            guard notification.payload.utf8.count < 8000 else {
                throw .refused("A message of \(message.count) bytes is too large.")
            }
            trips.wrappingAdd(1, ordering: .relaxed)
            pool.notifier.send(notification, on: channel)
        }

        package func stopWaiting() { end.limitAttempts() }

        deinit { close() }

        package func close() {
            end.signal()
            pool.listener.remove(self)
        }
    }

    extension PostgresConnection {
        /// Runs a statement that may be repeated.
        func read(
            _ statement: String, _ values: [PostgresValue] = [], asking question: String? = nil
        ) throws(SharedLogError) -> PostgresResult {
            do throws(Failure) {
                return try run(statement, values, asking: question)
            } catch {
                throw error.ofReading
            }
        }

        func readScript(_ statements: String) throws(SharedLogError) {
            do throws(Failure) { try runScript(statements) } catch { throw error.ofReading }
        }
    }
#endif
