#if PostgreSQL
    /// Whether a server keeps what it acknowledges.
    enum PostgresDurability {
        /// What a connection is set to, whatever the server, the database or the role say.
        ///
        /// No time ends a commit that waits for standbys. What waits for a row behind one that does
        /// has written nothing: the server undoes it before its client goes away, and such
        /// connections do not pile up. Nothing but a warning says that a commit did not wait for
        /// its standbys.
        private static let settings = """
            SET statement_timeout = 0;
            SET lock_timeout = %;
            SET idle_in_transaction_session_timeout = 0;
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

        /// Refuses a server that may lose what it has acknowledged, and makes sure that the
        /// statements of this connection wait as long as they have to.
        static func secure(
            _ connection: PostgresConnection, _ durability: SharedLogDurability
        ) throws(SharedLogError) {
            let limit = max(connection.patience.milliseconds * 4 / 5, 1)
            try connection.readScript(settings.replacing("%", with: "\(limit)"))
            let result = try connection.read(query)
            var found: [String: String] = [:]
            for row in 0..<result.rows { found[result.text(row, 0)] = result.text(row, 1) }
            if let setting = unsafeSetting(in: found, durability) {
                throw .unsafe(setting: setting)
            }
            // What is stronger stays.
            if found["synchronous_commit"] != "remote_apply" {
                try connection.readScript("SET synchronous_commit = on")
            }
        }

        /// What `synchronous_commit` says of a session whose commits wait for the disk, and for the
        /// standbys that there are to be.
        private static let waitingValues = ["on", "remote_apply"]

        /// What it says of this session; an engine that knows no such setting always waits.
        static let commitSetting = "coalesce(current_setting('synchronous_commit', true), 'on')"

        /// A condition that holds in a session after ``secure(_:_:)``.
        static let isSecured =
            "\(commitSetting) IN (\(waitingValues.map { "'\($0)'" }.joined(separator: ", ")))"

        /// Which standbys a commit waits for; an engine that knows no such setting has its own.
        static let standbySetting =
            "coalesce(current_setting('synchronous_standby_names', true), '*')"

        /// Refuses a session that is not the one that was secured: a pooler that changes it between
        /// transactions gives it to those as well whose writes do not matter, and a server whose
        /// settings were changed may no longer wait for standbys.
        ///
        /// - Parameters:
        ///   - commit: its ``commitSetting``.
        ///   - standbys: its ``standbySetting``.
        static func requireSecured(
            _ connection: PostgresConnection, commit: String, standbys: String,
            _ durability: SharedLogDurability
        ) throws(SharedLogError) {
            var setting: String?
            if !waitingValues.contains(commit) { setting = "synchronous_commit = \(commit)" }
            if durability == .quorum, !waitsForStandbys(standbys) {
                setting = setting ?? "synchronous_standby_names = ''"
            }
            guard let setting else { return }
            _ = connection.breakOff("The server's session has changed.")
            throw .unsafe(setting: setting)
        }

        /// Without names a server waits for no standby, and does not say so.
        static func waitsForStandbys(_ names: String) -> Bool {
            names.contains { !$0.isWhitespace }
        }

        /// The first setting that does not do.
        static func unsafeSetting(
            in settings: [String: String], _ durability: SharedLogDurability
        ) -> String? {
            func refuse(_ name: String, unless isSafe: (String) -> Bool) -> String? {
                // An engine that does not know a setting does not offer to be unsafe.
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
                    // Without senders a server waits for no standby, whatever the names are.
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
