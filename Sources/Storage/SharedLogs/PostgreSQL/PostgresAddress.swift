// Safety: strings and arrays that libpq allocates are copied and freed where they are returned;
// arguments live until the call returns.

#if PostgreSQL
    import CPostgreSQL
    import Foundation

    /// The address and the login of a server, as a connection string of libpq. It may contain a
    /// password, so no part of it may appear in a message.
    struct PostgresAddress: Sendable, Hashable {
        private let string: String
        /// The substrings that must not be disclosed.
        private let secrets: [String]

        init(_ string: String) throws(SharedLogError) {
            guard let options = PQconninfoParse(string, nil) else {
                // The message of libpq quotes parts of the string.
                throw .refused("The connection string cannot be read.")
            }
            self.string = string
            secrets = Self.secrets(options) + [string]
            PQconninfoFree(options)
        }

        /// A connection, established or failed; nil without memory. Blocks.
        func connect() -> PostgresHandle? {
            // Parameters of the string come later, and override these.
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

        /// The error message of a connection, in one line and without secrets.
        func message(of connection: OpaquePointer) -> String {
            var secrets = secrets
            if let options = PQconninfo(connection) {
                // Including those of the environment and of the password file.
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
