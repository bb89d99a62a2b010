#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// Images in the tables of a server: when they become visible, and what happens to their parts.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresImageTests {
        private static func open(_ server: PostgresServer) throws -> PostgresSharedLog {
            try PostgresSharedLog(
                server.address, realm: "realm", durability: .singleServer, timeout: .seconds(20))
        }

        /// No transaction is open while the parts are added, and the image is not visible before
        /// the last one.
        @Test func anImageOnItsWayHoldsNothingBack() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                #expect(try log.append([1], at: .first))
                let open = """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE application_name = 'RealmActors' AND xact_start IS NOT NULL
                    """
                for slot: UInt64 in 2...3 {
                    let image = SharedLogImage(slot: LogSlot(slot), parts: 100, bytes: 200)
                    var rest = 100
                    try log.addImage(image) {
                        let (count, images) = (try server.psql(open), try log.images())
                        #expect(count == "0\n" && !images.contains(image))
                        rest -= 1
                        return rest < 0 ? nil : [1, UInt8(rest)]
                    }
                    #expect(try log.images().first == image)
                }
                try log.trim(below: .first, imagesBelow: LogSlot(3))
                #expect(try log.images().map(\.slot) == [LogSlot(3)])
                #expect(try server.psql("SELECT count(*) FROM realmactors_image") == "100\n")
            }
        }

        /// A host was killed between hiding an image and removing it; another host added it again.
        @Test func aTrimThatWasCutOffStopsNoLaterOne() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                #expect(try log.append([1], at: .first))
                for slot: UInt64 in 2...3 {
                    var rest = 1
                    let image = SharedLogImage(slot: LogSlot(slot), parts: 1, bytes: 1)
                    try log.addImage(image) {
                        rest -= 1
                        return rest < 0 ? nil : [1]
                    }
                }
                try server.psql(
                    """
                    INSERT INTO realmactors_image
                    SELECT realm, -slot, part, body FROM realmactors_image WHERE slot = 2
                    """)
                try log.trim(below: .first, imagesBelow: LogSlot(3))
                #expect(try server.psql("SELECT slot FROM realmactors_image") == "3\n")
            }
        }

        /// The connection on which the parts are added breaks.
        @Test func anImageThatIsCutOffLeavesNoParts() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                #expect(try log.append([1], at: .first))
                var rest = 3
                #expect(throws: SharedLogError.self) {
                    try log.addImage(SharedLogImage(slot: LogSlot(2), parts: 3, bytes: 3)) {
                        rest -= 1
                        if rest == 0 {
                            try server.psql(
                                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                    + "WHERE application_name = 'RealmActors'")
                        }
                        return rest < 0 ? nil : [1]
                    }
                }
                #expect(try server.psql("SELECT count(*) FROM realmactors_image") == "0\n")
            }
        }

        /// Parts that a killed host has left are removed with the next image; those that are being
        /// added stay.
        @Test func onlyPartsThatWereLeftAreRemoved() throws {
            try PostgresServer.run { server in
                let (log, other) = (try Self.open(server), try Self.open(server))
                #expect(try log.append([1], at: .first))
                try server.psql(
                    "INSERT INTO realmactors_image VALUES ('realm', \(Int64.min + 7), 0, 'x')")
                let places = "SELECT count(DISTINCT slot) FROM realmactors_image WHERE slot < 0"
                var rest = 2
                try log.addImage(SharedLogImage(slot: LogSlot(2), parts: 2, bytes: 2)) {
                    rest -= 1
                    if rest == 0 {
                        #expect(try server.psql(places) == "1\n", "its own")
                        try other.trim(below: .first, imagesBelow: nil)
                        #expect(try server.psql(places) == "1\n", "it is locked")
                    }
                    return rest < 0 ? nil : [1]
                }
                #expect(try log.images().map(\.slot) == [LogSlot(2)])
                #expect(try server.psql(places) == "0\n")
            }
        }
    }
#endif
