#if PostgreSQL
    import RealmActors
    import StorageHarness
    import Testing

    /// Hosts of one realm in a PostgreSQL that is killed now and then.
    @Suite(.enabled(if: PostgresServer.isInstalled), .serialized) struct PostgresHostTests {
        private static func configuration(
            _ path: String, _ server: PostgresServer
        ) -> Realm.Configuration {
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Mark.self], writeTimeout: nil)
            configuration.sharedLog = .postgres(
                server.address, realm: "marks", durability: .singleServer)
            return configuration
        }

        @Test func noUpdateIsLostWhileTheServerDies() async throws {
            try await PostgresServer.run { server in
                try await withStorePath { path in
                    var hosts: [Realm] = []
                    for number in 0..<3 {
                        hosts.append(
                            try await Realm.open(Self.configuration(path + "-\(number)", server)))
                    }
                    try await Self.count(on: hosts, server)
                    for host in hosts { try await host.close() }
                    for number in 0..<3 { try Realm.deleteFiles(at: path + "-\(number)") }
                }
            }
        }

        /// Each host counts in turn with the others, each count by its own transaction.
        private static func count(on hosts: [Realm], _ server: PostgresServer) async throws {
            try await hosts[0].write { tx in
                _ = try tx.create(Mark.self, value: ["number": 0])
            }
            for host in hosts { _ = try await host.refreshed(.toNewest) }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for host in hosts {
                    for _ in 0..<2 {
                        group.addTask { try await countTo(40, on: host) }
                    }
                }
                for _ in 0..<2 {
                    try await Task.sleep(for: .milliseconds(300))
                    try server.kill()
                    try server.start()
                }
                var counted = 0
                for try await part in group { counted += part }
                for host in hosts {
                    let snapshot = try await host.refreshed(.toNewest)
                    #expect(snapshot.objects(Mark.self).first?.weight == counted)
                    #expect(try await host.verify().isIntact)
                }
            }
        }

        private static func countTo(_ end: Int, on host: Realm) async throws -> Int {
            for _ in 0..<end {
                try await host.write { tx in
                    guard let mark = tx.objects(Mark.self).first else { return }
                    mark.weight += 1
                }
            }
            return end
        }

        /// The tables are those of another role, which has made them beforehand.
        @Test func hostsOfARoleThatMayNotMakeTablesShareARealm() async throws {
            try await PostgresServer.run { server in
                try server.psql(
                    """
                    CREATE ROLE maker;
                    CREATE ROLE app LOGIN;
                    GRANT CREATE ON SCHEMA public TO maker;
                    SET ROLE maker;
                    \(Realm.SharedLog.postgresTableDefinitions)
                    GRANT SELECT, INSERT, UPDATE, DELETE
                    ON realmactors_head, realmactors_log, realmactors_image TO app;
                    """)
                let address = server.address.replacing("user=postgres", with: "user=app")
                try await withStorePath { path in
                    var hosts: [Realm] = []
                    for number in 0..<2 {
                        var configuration = Self.configuration(path + "-\(number)", server)
                        configuration.sharedLog = .postgres(
                            address, realm: "marks", durability: .singleServer)
                        hosts.append(try await Realm.open(configuration))
                    }
                    try await hosts[0].write { tx in
                        _ = try tx.create(Mark.self, value: ["number": 0])
                    }
                    _ = try await hosts[1].refreshed(.toNewest)
                    let counted = try await Self.countTo(3, on: hosts[1])
                    let snapshot = try await hosts[0].refreshed(.toNewest)
                    #expect(snapshot.objects(Mark.self).first?.weight == counted)
                    for host in hosts { try await host.close() }
                    for number in 0..<2 { try Realm.deleteFiles(at: path + "-\(number)") }
                }
            }
        }

        /// It made the tables, and a log of the name.
        @Test func aRestoreMakesNoLog() async throws {
            try await PostgresServer.run { server in
                try await withStorePath { path in
                    let log = Realm.SharedLog.postgres(
                        server.address, realm: "marks", durability: .singleServer)
                    await #expect(throws: RealmError.self) {
                        try await Realm.restore(from: log, asOf: .newest, to: path)
                    }
                    let isMissing = "SELECT to_regclass('realmactors_head') IS NULL"
                    let answer = try server.psql(isMissing)
                    #expect(answer == "t\n")
                }
            }
        }

        /// The inspection wrote a row: it needed another privilege, and waited for the standbys,
        /// although it is also used to find out why they do not answer.
        @Test func aLogIsInspectedWithoutWritingToIt() async throws {
            try await PostgresServer.run { server in
                try await withStorePath { path in
                    let realm = try await Realm.open(Self.configuration(path, server))
                    try await realm.write { tx in
                        _ = try tx.create(Mark.self, value: ["number": 0])
                    }
                    let (host, version) = (realm.sharing.host, realm.latestVersion)
                    try await realm.close()
                    try server.psql(
                        "CREATE ROLE reader LOGIN; GRANT SELECT "
                            + "ON realmactors_head, realmactors_log, realmactors_image TO reader")
                    let rows = try server.psql("SELECT * FROM realmactors_head")
                    try server.set("synchronous_standby_names", to: "gone")
                    for user in ["postgres", "reader"] {
                        let log = Realm.SharedLog.postgres(
                            server.address.replacing("user=postgres", with: "user=\(user)"),
                            realm: "marks", durability: .quorum)
                        let overview = try await log.overview()
                        #expect(overview.lastWriter == host && overview.version == version)
                    }
                    let rowsAfter = try server.psql("SELECT * FROM realmactors_head")
                    #expect(rowsAfter == rows)
                    try Realm.deleteFiles(at: path)
                }
            }
        }

        @Test func aServerThatMayLoseDataIsRefused() async throws {
            try await PostgresServer.run { server in
                try await withStorePath { path in
                    var configuration = Self.configuration(path, server)
                    configuration.sharedLog = .postgres(
                        server.address, realm: "marks", durability: .quorum)
                    await #expect {
                        _ = try await Realm.open(configuration)
                    } throws: { error in
                        if case RealmError.sharedLogUnsafe = error { true } else { false }
                    }
                }
            }
        }
    }
#endif
