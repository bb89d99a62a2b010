#if PostgreSQL
    /// A connection that performs only the server operations of a shared log: the baseline that
    /// shared realms are compared with. Used by one thread at a time.
    package final class PostgresProbe {
        private let connection: PostgresConnection
        private var number: Int64

        /// Connects, and creates its own table if it is missing.
        package init(_ address: String) throws {
            connection = try PostgresConnection(
                PostgresAddress(address), timeout: .seconds(20), end: PostgresEnd())
            try PostgresDurability.secure(connection, .singleServer)
            try connection.readScript(
                """
                SET client_min_messages = error;
                CREATE TABLE IF NOT EXISTS realmactors_probe (
                    number bigint PRIMARY KEY, body bytea NOT NULL
                );
                ALTER TABLE realmactors_probe ALTER COLUMN body SET STORAGE EXTERNAL;
                """)
            number = .random(in: 0..<1 << 62)
        }

        private static let insertion =
            "INSERT INTO realmactors_probe (number, body) VALUES ($1, $2)"

        /// Inserts a row; its number.
        @discardableResult
        package func append(_ bytes: [UInt8]) throws -> Int64 {
            number += 1
            _ = try connection.read(Self.insertion, [.integer(number), .bytes(bytes)])
            return number
        }

        /// Inserts a row and notifies of it, in one transaction.
        package func appendAndNotify(_ bytes: [UInt8]) throws {
            number += 1
            _ = try connection.read(
                """
                WITH row AS (
                    INSERT INTO realmactors_probe (number, body) VALUES ($1, $2) RETURNING number
                ) SELECT pg_notify('realmactors_probe', number::text) FROM row
                """, [.integer(number), .bytes(bytes)])
        }

        /// From now on ``awaitRow()`` can be used.
        package func listen() throws { try connection.readScript("LISTEN realmactors_probe") }

        /// Waits for a notification, and reads the row.
        package func awaitRow() throws -> [UInt8] {
            while true {
                if let (_, payload) = connection.nextNotification() {
                    let found = try connection.read(
                        "SELECT body FROM realmactors_probe WHERE number = $1",
                        [.integer(Int64(payload) ?? 0)])
                    return found.rows == 0 ? [] : found.bytes(0, 0)
                }
                _ = Platform.poll([connection.descriptor], until: .now + .seconds(10))
                guard connection.takeInput() else {
                    throw SharedLogError.unavailable("The connection has ended.")
                }
            }
        }

        /// How many entries the log of a realm has, and their bytes.
        package func entries(of realm: String) throws -> (count: Int, bytes: Int) {
            let found = try connection.read(
                """
                SELECT count(*), coalesce(sum(octet_length(body)), 0)::bigint
                FROM realmactors_log WHERE realm = $1
                """, [.text(realm)])
            return (Int(found.integer(0, 0)), Int(found.integer(0, 1)))
        }

        /// Reads all entries of a realm; their bytes.
        package func readEntries(of realm: String) throws -> Int {
            var (bytes, slot) = (0, Int64(0))
            while true {
                let found = try connection.read(
                    """
                    SELECT slot, body FROM realmactors_log WHERE realm = $1 AND slot > $2
                    ORDER BY slot LIMIT 1024
                    """, [.text(realm), .integer(slot)])
                for row in 0..<found.rows { bytes += found.bytes(row, 1).count }
                guard found.rows > 0 else { return bytes }
                slot = found.integer(found.rows - 1, 0)
            }
        }

        /// The slot and the bytes of the newest image of a realm; nil for none.
        package func newestImage(of realm: String) throws -> (slot: Int64, bytes: Int)? {
            let found = try connection.read(
                """
                SELECT slot, sum(octet_length(body))::bigint FROM realmactors_image
                WHERE realm = $1 AND slot > 0 GROUP BY slot ORDER BY slot DESC LIMIT 1
                """, [.text(realm)])
            return found.rows == 0 ? nil : (found.integer(0, 0), Int(found.integer(0, 1)))
        }

        /// Reads an image part by part; its bytes.
        package func readImage(of realm: String, at slot: Int64) throws -> Int {
            var (bytes, part) = (0, Int64(0))
            while true {
                let found = try connection.read(
                    """
                    SELECT body FROM realmactors_image
                    WHERE realm = $1 AND slot = $2 AND part = $3::bigint
                    """, [.text(realm), .integer(slot), .integer(part)])
                guard found.rows == 1 else { return bytes }
                bytes += found.bytes(0, 0).count
                part += 1
            }
        }

        /// Removes the leftovers of the benchmark of a realm.
        package func remove(_ realm: String) throws {
            for table in ["image", "log", "head"] {
                _ = try connection.read(
                    "DELETE FROM realmactors_\(table) WHERE realm = $1", [.text(realm)])
            }
            try connection.readScript("TRUNCATE realmactors_probe")
        }
    }
#endif
