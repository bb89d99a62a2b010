#if PostgreSQL
    /// Checks that a server durably keeps what it acknowledges.
    enum PostgresDurability {
        /// The settings of a connection, which override those of the server, the database and the
        /// role.
        ///
        /// No timeout ends a commit that waits for standbys. A statement that waits for a row lock
        /// has written nothing: the server cancels it before its client gives up, so that such
        /// connections do not pile up. Only a warning reports that a commit did not wait for its
        /// standbys. Servers before 17 have no timeout of transactions.
        private static let settings = """
            SET statement_timeout = 0;
            SET lock_timeout = %;
            SET idle_in_transaction_session_timeout = 0;
            SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout';
            SET default_transaction_isolation = 'read committed';
            SET default_transaction_read_only = off;
            SET default_transaction_deferrable = off;
            SET client_min_messages = warning;
            """

        private static let query = """
            SELECT name, setting FROM pg_settings WHERE name IN
            ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names',
            'max_wal_senders')
            """

        /// Refuses a server that may lose what it has acknowledged, and configures the connection
        /// to wait for durable commits. Without a durability, no server is refused. Does nothing
        /// for a connection that was configured before.
        static func secure(
            _ connection: PostgresConnection, _ durability: SharedLogDurability?
        ) throws(SharedLogError) {
            if connection.isSecured { return }
            let limit = max(connection.timeout.milliseconds * 4 / 5, 1)
            try connection.readScript(settings.replacing("%", with: "\(limit)"))
            guard let durability else {
                // Nothing is written, so the other settings do not matter.
                connection.isSecured = true
                return
            }
            let result = try connection.read(query)
            var found: [String: String] = [:]
            for row in 0..<result.rows { found[result.text(row, 0)] = result.text(row, 1) }
            if let setting = unsafeSetting(in: found, durability) {
                throw .unsafe(setting: setting)
            }
            // A stronger setting is kept.
            if found["synchronous_commit"] != "remote_apply" {
                try connection.readScript("SET synchronous_commit = on")
            }
            connection.isSecured = true
        }

        /// Identifies the process of the server of a connection, if there are several servers and
        /// this one reports it.
        static func identify(_ connection: PostgresConnection) throws(SharedLogError) {
            guard connection.server != nil, connection.instance == nil else { return }
            do throws(PostgresConnection.Failure) {
                connection.instance = try connection.run(instanceStatement).text(0, 0)
            } catch {
                if case .undone = error, !connection.isBroken { return }
                throw error.ofReading
            }
        }

        private static let instanceStatement =
            "SELECT extract(epoch FROM pg_postmaster_start_time())::text"

        /// The values of `synchronous_commit` with which commits wait for the disk and the
        /// standbys.
        private static let waitingValues = ["on", "remote_apply"]

        /// Its value in this session; an engine without the setting always waits.
        static let commitSetting = "coalesce(current_setting('synchronous_commit', true), 'on')"

        /// A condition that is true in a session after ``secure(_:_:)``.
        static let isSecured =
            "\(commitSetting) IN (\(waitingValues.map { "'\($0)'" }.joined(separator: ", ")))"

        /// The standbys that a commit waits for; an engine without the setting has its own
        /// replication.
        static let standbySetting =
            "coalesce(current_setting('synchronous_standby_names', true), '*')"

        private static let standbyStatement = "SELECT \(standbySetting)"

        /// Asks for the standbys after a commit that had to wait for them: a commit that waits when
        /// they are removed from the settings continues as if they had it.
        static func question(_ durability: SharedLogDurability?) -> String? {
            durability == .quorum ? standbyStatement : nil
        }

        /// Which standbys the server waits for: those of the commit before, unless there are none
        /// any more.
        ///
        /// - Parameter commit: the ``standbySetting`` of the commit.
        static func standbys(
            after commit: String, _ connection: PostgresConnection,
            _ durability: SharedLogDurability?
        ) throws(PostgresConnection.Failure) -> String {
            guard durability == .quorum, waitsForStandbys(commit) else { return commit }
            return try connection.followUpAnswer().text(0, 0)
        }

        private static let barrierStatement = """
            UPDATE realmactors_head SET barrier = barrier + 1 WHERE realm = $1
            RETURNING first, next, \(commitSetting), \(standbySetting)
            """

        /// Writes what the server makes durable with everything before it. The first columns are
        /// the realm's first and next slots; without a row for the realm, nothing is written.
        static func barrier(
            _ connection: PostgresConnection, _ realm: PostgresValue,
            _ durability: SharedLogDurability?
        ) throws(SharedLogError) -> PostgresResult {
            let result = try connection.read(
                barrierStatement, [realm], asking: question(durability))
            guard result.rows == 1 else { return result }
            let names: String
            do throws(PostgresConnection.Failure) {
                names = try standbys(after: result.text(0, 3), connection, durability)
            } catch {
                throw error.ofReading
            }
            try requireSecured(connection, commit: result.text(0, 2), standbys: names, durability)
            return result
        }

        /// Refuses a session that is not the secured one: a pooler may switch sessions between
        /// transactions, and a server whose settings were changed may no longer wait for standbys.
        ///
        /// - Parameters:
        ///   - commit: its ``commitSetting``.
        ///   - standbys: its ``standbySetting``.
        static func requireSecured(
            _ connection: PostgresConnection, commit: String, standbys: String,
            _ durability: SharedLogDurability?
        ) throws(SharedLogError) {
            var setting: String?
            if !waitingValues.contains(commit) { setting = "synchronous_commit = \(commit)" }
            if durability == .quorum, !waitsForStandbys(standbys) {
                setting = setting ?? "synchronous_standby_names = ''"
            }
            guard let setting else { return }
            _ = connection.invalidate("The server's session has changed.")
            throw .unsafe(setting: setting)
        }

        /// Without names a server silently waits for no standby.
        static func waitsForStandbys(_ names: String) -> Bool {
            names.contains { !$0.isWhitespace }
        }

        /// The first unsafe setting.
        static func unsafeSetting(
            in settings: [String: String], _ durability: SharedLogDurability
        ) -> String? {
            func refuse(_ name: String, unless isSafe: (String) -> Bool) -> String? {
                // An engine without a setting cannot be unsafe by it.
                guard let value = settings[name], !isSafe(value) else { return nil }
                return "\(name) = \(value.isEmpty ? "''" : value)"
            }
            let always =
                refuse("fsync") { $0 != "off" } ?? refuse("full_page_writes") { $0 != "off" }
            switch durability {
            case .singleServer:
                return always ?? refuse("synchronous_commit") { $0 != "off" }
            case .quorum:
                return always
                    ?? refuse("synchronous_commit") { waitingValues.contains($0) }
                    ?? refuse("synchronous_standby_names") { waitsForStandbys($0) }
                    // Without senders a server waits for no standby, despite the names.
                    ?? refuse("max_wal_senders") { $0 != "0" }
            }
        }
    }

    extension Duration {
        fileprivate var milliseconds: Int64 {
            let (seconds, attoseconds) = components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        }
    }
#endif
