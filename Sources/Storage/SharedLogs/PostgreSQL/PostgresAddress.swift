// Safety: strings and arrays that libpq makes are copied and freed where they are made; those it
// is given live until its call returns.

#if PostgreSQL
    import CPostgreSQL
    import Foundation

    /// Where a server is and how to log in, as a connection string of libpq says it. It may have a
    /// password: nothing of it is ever part of a message.
    struct PostgresAddress: Sendable, Hashable {
        private let string: String
        /// What must not be disclosed.
        private let secrets: [String]

        init(_ string: String) throws(SharedLogError) {
            guard let options = PQconninfoParse(string, nil) else {
                // libpq's own words quote parts of the string.
                throw .refused("The connection string cannot be read.")
            }
            self.string = string
            secrets = Self.secrets(options) + [string]
            PQconninfoFree(options)
        }

        /// A connection in whatever state it has reached; nil when there is no memory. Blocks.
        func connect() -> PostgresHandle? {
            // What the string says itself comes later, and counts.
            let defaults = [
                ("target_session_attrs", "read-write"), ("connect_timeout", "3"),
                ("fallback_application_name", "RealmActors"), ("keepalives_idle", "10"),
                ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "20000"), ("dbname", string), ("client_encoding", "UTF8"),
            ]
            let names = defaults.map { strdup($0.0) } + [nil]
            let values = defaults.map { strdup($0.1) } + [nil]
            defer { for text in names + values { free(text) } }
            let connection = PQconnectdbParams(
                names.map { UnsafePointer<CChar>($0) }, values.map { UnsafePointer<CChar>($0) }, 1)
            return connection.map { PostgresHandle(owning: $0) }
        }

        /// What a connection says has gone wrong, in one line and without what must not be
        /// disclosed.
        func message(of connection: OpaquePointer) -> String {
            var secrets = secrets
            if let options = PQconninfo(connection) {
                // Those of the environment and of the password file among them.
                secrets += Self.secrets(options)
                PQconninfoFree(options)
            }
            if let password = PQpass(connection) { secrets.append(String(cString: password)) }
            return Self.scrubbed(String(cString: PQerrorMessage(connection)), of: secrets)
        }

        func scrubbed(_ message: String) -> String { Self.scrubbed(message, of: secrets) }

        private static func scrubbed(_ message: String, of secrets: [String]) -> String {
            var message = message
            for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count })
            where !secret.isEmpty {
                message = message.replacing(secret, with: "***")
            }
            return message.split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
        }

        private static func secrets(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String] {
            var secrets: [String] = []
            var option = options
            // The last one has no keyword.
            while let keyword = option.pointee.keyword {
                if ["password", "sslpassword"].contains(String(cString: keyword)),
                    let value = option.pointee.val
                {
                    secrets.append(String(cString: value))
                }
                option += 1
            }
            return secrets
        }
    }
#endif
