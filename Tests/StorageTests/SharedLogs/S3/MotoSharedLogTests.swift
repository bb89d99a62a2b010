#if S3
    import Foundation
    import StorageHarness
    import Testing

    @testable import Storage

    /// A shared log on an object storage that the test starts.
    @Suite(
        .enabled(if: MotoServer.isInstalled, "moto is not installed on this machine."), .serialized)
    struct MotoSharedLogTests {
        private static func keys(_ server: MotoServer) -> S3Credentials {
            S3Credentials(S3Credentials.Keys(id: server.accessKey, secret: server.secretKey))
        }

        private static func open(
            _ server: MotoServer, _ realm: String = "realm", _ credentials: S3Credentials? = nil,
            bucket: String? = nil, timeout: Duration = .seconds(20)
        ) throws -> S3SharedLog {
            try S3SharedLog(
                endpoint: server.endpoint, bucket: bucket ?? server.bucket, region: server.region,
                realm: realm, credentials: credentials ?? keys(server), timeout: timeout)
        }

        /// One server for all checks, with a realm for each. It verifies each signature, including
        /// that of a name with special characters.
        @Test func conforms() throws {
            try MotoServer.run(checksSignatures: true) { server in
                for conformance in SharedLogConformance.all {
                    var ends: [S3SharedLog] = []
                    try conformance.check {
                        let end = try Self.open(server, "\(conformance.name) (\u{e4}/+%&=._)")
                        ends.append(end)
                        return end
                    }
                    for end in ends { end.close() }
                }
            }
        }

        /// Several hosts create a log concurrently.
        @Test func hostsThatComeFirstAtOnceAgree() throws {
            try MotoServer.run { server in
                let wins = Tally()
                inParallel(6) { host in
                    let log = try Self.open(server)
                    if try log.append([UInt8(host)], at: .first) { wins.add() }
                }
                #expect(wins.count == 1)
                let head = try Self.open(server).head()
                #expect(head.next == LogSlot(2))
            }
        }

        private static func message(_ call: () throws -> Void) -> String {
            do {
                try call()
                return "no error"
            } catch {
                return "\(error)"
            }
        }

        @Test func aRefusedLoginDisclosesNoSecret() throws {
            try MotoServer.run(checksSignatures: true) { server in
                let others = [
                    S3Credentials.Keys(id: server.accessKey, secret: "swordfish"),
                    S3Credentials.Keys(id: "AKIAIOSFODNN7EXAMPLE", secret: "swordfish"),
                    S3Credentials.Keys(
                        id: "AKIAIOSFODNN7EXAMPLE", secret: "swordfish", sessionToken: "swordfish"),
                ]
                for keys in others {
                    let text = Self.message { _ = try Self.open(server, "r", S3Credentials(keys)) }
                    #expect(text.hasPrefix("refused("), "\(text)")
                    #expect(!text.contains("swordfish") && !text.contains(keys.id), "\(text)")
                }
            }
        }

        @Test func aMissingBucketIsRefused() throws {
            try MotoServer.run { server in
                let text = Self.message { _ = try Self.open(server, bucket: "none") }
                #expect(text.contains("refused") && text.contains("NoSuchBucket"), "\(text)")
            }
        }

        @Test func aServerThatIsGoneIsSaidToBe() throws {
            try MotoServer.run { server in
                let log = try Self.open(server)
                #expect(try log.append([1], at: .first))
                server.stop()
                let calls: [() throws -> Void] = [
                    { _ = try log.head() }, { _ = try log.entries(from: .first, bytesMax: 9) },
                    { _ = try log.images() }, { try log.send([1]) },
                    { _ = try log.append([2], at: LogSlot(2)) }, { _ = try Self.open(server) },
                    { _ = try log.wait(for: LogSlot(2), atMost: .seconds(60)) },
                ]
                for (number, call) in calls.enumerated() {
                    let text = Self.message(call)
                    let isUnknown = text.hasPrefix("outcomeUnknown(")
                    #expect(text.hasPrefix("unavailable(") || isUnknown && number == 4, "\(text)")
                    #expect(!text.contains(server.secretKey) && !text.contains(server.accessKey))
                }
            }
        }

        /// The outcome of the request is unknown, and repeating the same bytes determines it.
        @Test func aServerThatIsSilentLeavesAnOutcomeUnknown() throws {
            try MotoServer.run { server in
                let log = try Self.open(server, timeout: .seconds(1))
                #expect(try log.append([1], at: .first))
                server.freeze()
                let text = Self.message { _ = try log.append([2], at: LogSlot(2)) }
                #expect(text.hasPrefix("outcomeUnknown("), "\(text)")
                let reading = Self.message { _ = try log.head() }
                #expect(reading.hasPrefix("unavailable("), "\(reading)")
                server.thaw()
                let again = try Self.open(server, timeout: .seconds(20))
                let isPlaced = try again.append(
                    [2], at: LogSlot(2), behind: SharedEntryHash(of: [1]))
                #expect(isPlaced)
                #expect(try again.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2]])
            }
        }

        /// A call in progress ends before the timeout of the server.
        @Test func closingEndsCallsToASilentServer() throws {
            try MotoServer.run { server in
                for isClosed in [true, false] {
                    let log = try Self.open(server, timeout: .seconds(600))
                    server.freeze()
                    inParallel(2) { thread in
                        if thread == 1 {
                            Platform.pause(for: .milliseconds(100))
                            return isClosed ? log.close() : log.stopWaiting()
                        }
                        let text = Self.message { _ = try log.head() }
                        #expect(text.hasPrefix(isClosed ? "closed" : "unavailable("), "\(text)")
                    }
                    server.thaw()
                }
            }
        }

        @Test(arguments: [
            "ftp://127.0.0.1", "localhost:9000", "https://", "https://me:swordfish@127.0.0.1",
            "https://127.0.0.1/?a=b",
        ])
        func anAddressThatIsNoneIsRefused(_ address: String) throws {
            let url = try #require(URL(string: address))
            let keys = S3Credentials.Keys(id: "id", secret: "secret")
            let text = Self.message {
                _ = try S3SharedLog(
                    endpoint: url, bucket: "b", region: "r", realm: "realm",
                    credentials: S3Credentials(keys))
            }
            #expect(text.hasPrefix("refused(") && !text.contains("swordfish"), "\(text)")
        }
    }
#endif
