#if PostgreSQL
    import Foundation
    import StorageHarness
    import Testing

    @testable import Storage

    /// Lists that lead to one server in several ways, as through two proxies.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresProxyTests {
        /// Each of the slow calls of such a server was ended again and again.
        @Test func aServerOfTwoNamesDoesNotReplaceItself() throws {
            try PostgresServer.runWithArchive { server in
                let log = try PostgresServer.openLog(
                    "host=\(server.folder),\(server.folder)/. dbname=postgres user=postgres",
                    .quorum, timeout: .seconds(20))
                #expect(try log.reading("SELECT pg_sleep(3)", []).rows == 1)
                #expect(try log.append([1], at: .first))
            }
        }

        /// Where connecting took longer than a second, the server was taken for unreachable by its
        /// first name, and the call was ended.
        @Test func aServerOfTwoNamesThatIsReachedSlowlyDoesNotReplaceItself() throws {
            try PostgresServer.runWithArchive(settings: ["pre_auth_delay": "2"]) { server in
                let log = try PostgresServer.openLog(
                    "host=\(server.folder),\(server.folder)/. dbname=postgres user=postgres"
                        + " connect_timeout=60", .quorum, timeout: .seconds(60))
                #expect(try log.reading("SELECT pg_sleep(6)", []).rows == 1)
                #expect(try log.append([1], at: .first))
            }
        }

        /// A proxy may stop without closing connections: calls through it waited until the timeout.
        @Test func aCallEndsOnceItsServerIsReachedInAnotherWayOnly() throws {
            try PostgresServer.runWithArchive { server in
                let ways = ["/way", "/other"].map { server.folder + $0 }
                for way in ways {
                    try FileManager.default.createSymbolicLink(
                        atPath: way, withDestinationPath: server.folder)
                }
                let log = try PostgresServer.openLog(
                    "host=\(ways[0]),\(ways[1]) dbname=postgres user=postgres", .quorum)
                let used = try #require(PostgresPreference.order(of: log.address)[0])
                try FileManager.default.removeItem(atPath: ways[used])
                let error = SharedLogError.unavailable("Another server is the primary now.")
                #expect(throws: error) { try log.reading("SELECT pg_sleep(600)", []) }
                #expect(try log.append([1], at: .first))
            }
        }
    }
#endif
