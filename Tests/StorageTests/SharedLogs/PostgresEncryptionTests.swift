#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// Answers of an encrypted connection.
    @Suite(
        .enabled(if: TLSRecordServer.isPossible, "There is no Python or OpenSSL on this machine."))
    struct PostgresEncryptionTests {
        /// The rest of a record that libpq has no room for stays in the library of TLS, where no
        /// wait for the descriptor finds it: the call timed out although all had arrived.
        @Test func theRestOfALargeRecordIsNotWaitedFor() throws {
            try withTemporaryDirectory { folder in
                let server = try TLSRecordServer(in: folder)
                defer { server.stop() }
                let connection = try PostgresConnection(
                    PostgresAddress(server.address), timeout: .seconds(20), end: PostgresEnd())
                try connection.runScript("SELECT a FROM rows")
                #expect(!connection.isBroken)
            }
        }
    }
#endif
