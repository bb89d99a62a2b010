#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// Connection strings that list several servers, and the order in which these are tried.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresServerListTests {
        private static func servers(_ string: String) throws -> [PostgresAddress.Server] {
            try PostgresAddress(string).servers
        }

        private static func server(
            _ host: String?, _ port: String? = nil, at address: String? = nil
        ) -> PostgresAddress.Server {
            PostgresAddress.Server(host: host, hostAddress: address, port: port)
        }

        @Test func aConnectionStringListsServers() throws {
            #expect(try Self.servers("host=a,b") == [Self.server("a"), Self.server("b")])
            #expect(
                try Self.servers("host=a,b port=1,2") == [
                    Self.server("a", "1"), Self.server("b", "2"),
                ])
            #expect(
                try Self.servers("postgresql://a:1,b:2/orders")
                    == [Self.server("a", "1"), Self.server("b", "2")])
            // This has an empty list of ports.
            #expect(
                try Self.servers("postgresql://a,b/orders")
                    == [Self.server("a", ""), Self.server("b", "")])
            #expect(
                try Self.servers("hostaddr=10.0.0.1,10.0.0.2 port=7")
                    == [
                        Self.server(nil, "7", at: "10.0.0.1"),
                        Self.server(nil, "7", at: "10.0.0.2"),
                    ])
        }

        /// libpq knows the others, or what is wrong with them.
        @Test(arguments: [
            "dbname=orders", "host=a", "host=a,b port=1,2,3", "host=a,b hostaddr=10.0.0.1",
            "host=a,b service=orders", "host=a,b target_session_attrs=any",
        ])
        func otherwiseTheLibraryChoosesTheServer(_ string: String) throws {
            #expect(try Self.servers(string).isEmpty)
            #expect(PostgresPreference.order(of: try PostgresAddress(string)) == [nil])
        }

        /// libpq ignores an empty parameter, and keeps the list of the string: it reported that the
        /// lists do not match, and no server was reached.
        @Test(arguments: [
            "postgresql://postgres@%2Fnowhere,FOLDER/postgres?application_name=it%27s%20%5C",
            "postgresql://postgres@%2Fnowhere:1,FOLDER/postgres?application_name=it%27s%20%5C",
            """
            host=/nowhere,FOLDER hostaddr=127.0.0.1, port=1, user=postgres dbname=postgres
            application_name='it\\'s \\\\'
            """,
        ])
        func aListMayHaveEmptyEntries(_ string: String) throws {
            try PostgresServer.run { server in
                let isURI = string.hasPrefix("postgresql")
                let folder = isURI ? server.folder.replacing("/", with: "%2F") : server.folder
                let address = try PostgresAddress(string.replacing("FOLDER", with: folder))
                #expect(address.servers.count == 2)
                let connection = try PostgresConnection(
                    address, timeout: .seconds(20), end: PostgresEnd())
                #expect(connection.server == 1)
                let name = try connection.read("SELECT current_setting('application_name')")
                #expect(name.text(0, 0) == "it's \\")
            }
        }

        @Test func theServerThatWasThePrimaryLastIsTriedFirst() throws {
            let address = try PostgresAddress("host=first,second,third")
            #expect(PostgresPreference.order(of: address) == [0, 1, 2])
            PostgresPreference.note(1, of: address)
            #expect(PostgresPreference.order(of: address) == [1, 2, 0])
            // Another one has failed.
            PostgresPreference.avoid(0, of: address)
            #expect(PostgresPreference.order(of: address) == [1, 2, 0])
            PostgresPreference.avoid(1, of: address)
            PostgresPreference.avoid(2, of: address)
            #expect(PostgresPreference.order(of: address) == [0, 1, 2])
        }

        /// Each attempt waited for it until its limit.
        @Test func aServerThatDoesNotAnswerIsPassedOver() throws {
            try PostgresServer.run { silent in
                try PostgresServer.run { server in
                    try silent.freeze()
                    let log = try PostgresServer.openLog(
                        "host=\(silent.folder),\(server.folder) dbname=postgres user=postgres"
                            + " connect_timeout=600", .singleServer)
                    #expect(try log.append([1], at: .first))
                    try silent.thaw()
                }
            }
        }

        @Test func allServersAreNamedThatCannotBeReached() throws {
            let address = try PostgresAddress("host=/nowhere,/nowhere/else")
            let error = try #require(throws: SharedLogError.self) {
                try PostgresConnection(address, timeout: .seconds(20), end: PostgresEnd())
            }
            #expect("\(error)".contains("/nowhere/.s"))
            #expect("\(error)".contains("/nowhere/else/.s"))
        }
    }
#endif
