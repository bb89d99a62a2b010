// Safety: strings and arrays that libpq allocates are copied and freed where they are returned;
// arguments live until the call returns.

#if PostgreSQL
    import CPostgreSQL
    import Foundation

    /// The address and the login of a server, as a connection string of libpq. It may contain a
    /// password, so no part of it may appear in a message.
    struct PostgresAddress: Sendable, Hashable {
        /// One of several servers that a connection string lists.
        struct Server: Hashable {
            let host: String?
            let hostAddress: String?
            let port: String?
        }

        private let string: String
        /// The parameters in it.
        private let options: [String: String]
        /// The substrings that must not be disclosed.
        private let secrets: [String]
        /// The servers to choose the primary from; empty if libpq makes the choice.
        let servers: [Server]

        init(_ string: String) throws(SharedLogError) {
            guard let parsed = PQconninfoParse(string, nil) else {
                // The message of libpq quotes parts of the string.
                throw .refused("The connection string cannot be read.")
            }
            self.string = string
            options = Self.values(parsed)
            PQconninfoFree(parsed)
            guard Self.hasValidPlaces(options), !Self.hasPathWithAt(string) else {
                throw .refused(
                    "The connection string has an invalid host, port or database. In a URI, "
                        + "special characters must be encoded, such as @ by %40.")
            }
            secrets = Self.secrets(options) + [string]
            servers = Self.servers(options)
        }

        /// Whether the hosts and ports are possible. An unencoded `@` or `/` in the password of a
        /// URI ends it there: the rest would be looked up as a host, and messages of libpq quote
        /// it.
        private static func hasValidPlaces(_ options: [String: String]) -> Bool {
            let hosts = (options["host"] ?? "").split(separator: ",")
            let areHosts = hosts.allSatisfy { host in
                // The path of a socket may contain it, and the name of one may begin with it.
                host.hasPrefix("/") || !host.dropFirst().contains("@")
            }
            return areHosts
                && (options["port"] ?? "").allSatisfy { letter in
                    "0"..."9" ~= letter || letter == "," || letter.isWhitespace
                }
        }

        /// Whether the path of a URI has an unencoded `@`. It is then probably the end of the
        /// login, whose password has a `/`, so that a part of the password is taken for the host.
        private static func hasPathWithAt(_ string: String) -> Bool {
            let schemes = ["postgresql://", "postgres://"]
            guard let scheme = schemes.first(where: { string.hasPrefix($0) }) else { return false }
            let place = string.unicodeScalars.dropFirst(scheme.unicodeScalars.count)
            return place.prefix { $0 != "?" }.drop { $0 != "/" }.contains("@")
        }

        /// The servers that the options list. Empty unless they are listed completely, and the
        /// primary is wanted.
        private static func servers(_ options: [String: String]) -> [Server] {
            let environment = ProcessInfo.processInfo.environment
            let others =
                ["PGSERVICE", "PGHOSTADDR", "PGPORT"] + (options["host"] == nil ? ["PGHOST"] : [])
            guard options["service"] == nil, others.allSatisfy({ environment[$0] == nil }),
                ["read-write", "primary"].contains(
                    options["target_session_attrs"] ?? "read-write")
            else { return [] }
            func list(_ name: String) -> [String]? {
                options[name]?.split(separator: ",", omittingEmptySubsequences: false)
                    .map(String.init)
            }
            let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
            let count = max(hosts?.count ?? 0, addresses?.count ?? 0)
            // libpq reports lists that do not match.
            guard count > 1, [nil, count].contains(hosts?.count),
                [nil, count].contains(addresses?.count), [nil, 1, count].contains(ports?.count)
            else { return [] }
            return (0..<count).map { index in
                Server(
                    host: hosts?[index], hostAddress: addresses?[index],
                    port: ports.map { $0.count == 1 ? $0[0] : $0[index] })
            }
        }

        /// A connection, established or failed; nil without memory. Blocks.
        ///
        /// - Parameter server: the index of one of ``servers``; nil for libpq's own choice.
        func connect(to server: Int? = nil) -> PostgresHandle? {
            // Parameters of the string come later, and override these.
            let parameters = [
                ("target_session_attrs", "read-write"), ("connect_timeout", "3"),
                ("fallback_application_name", "RealmActors"), ("keepalives_idle", "10"),
                ("keepalives_interval", "5"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "20000"),
                ("dbname", server.map { connectionString(of: servers[$0]) } ?? string),
                ("client_encoding", "UTF8"),
            ]
            let names = parameters.map { strdup($0.0) } + [nil]
            let values = parameters.map { strdup($0.1) } + [nil]
            defer { for text in names + values { free(text) } }
            let connection = PQconnectdbParams(
                names.map { UnsafePointer<CChar>($0) }, values.map { UnsafePointer<CChar>($0) }, 1)
            return connection.map { PostgresHandle(owning: $0, to: server) }
        }

        /// The connection string of one of the servers. Lists may have empty entries, which stand
        /// for the default: an empty value keeps libpq from looking for one elsewhere.
        private func connectionString(of server: Server) -> String {
            var values = options
            values["host"] = server.host ?? ""
            values["hostaddr"] = server.hostAddress ?? ""
            values["port"] = server.port ?? ""
            return values.map { "\($0.key)='\(Self.escaped($0.value))'" }.joined(separator: " ")
        }

        private static func escaped(_ value: String) -> String {
            var escaped = String.UnicodeScalarView()
            for scalar in value.unicodeScalars {
                if scalar == "'" || scalar == "\\" { escaped.append("\\") }
                escaped.append(scalar)
            }
            return String(escaped)
        }

        /// The error message of a connection, in one line and without secrets.
        func message(of connection: OpaquePointer) -> String {
            var secrets = secrets
            if let options = PQconninfo(connection) {
                // Including those of the environment and of the password file.
                secrets += Self.secrets(Self.values(options))
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

        private static func secrets(_ options: [String: String]) -> [String] {
            ["password", "sslpassword"].compactMap { options[$0] }
        }

        private static func values(
            _ options: UnsafeMutablePointer<PQconninfoOption>
        ) -> [String: String] {
            var values: [String: String] = [:]
            var option = options
            // The last one has no keyword.
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val {
                    values[String(cString: keyword)] = String(cString: value)
                }
                option += 1
            }
            return values
        }
    }
#endif
