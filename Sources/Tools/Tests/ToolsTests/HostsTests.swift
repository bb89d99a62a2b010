import Foundation
import RealmActors
import Testing

/// The command for realms on a shared log.
@Suite(.timeLimit(.minutes(10))) struct HostsTests {
    @Test func whatIsMissingIsSaid() async throws {
        let none = try await Tool.run("hosts", "kennel", environment: ["REALM_POSTGRES": ""])
        #expect(none.status == 3 && none.errors.contains("REALM_POSTGRES"), "\(none.errors)")
        #expect(try await Tool.run("hosts", "kennel", "--entries", "0").status == 64)
    }

    /// Where nobody listens, and in a build that cannot connect at all.
    @Test func theTablesArePrintedWithoutAServer() async throws {
        for address in ["", "host=127.0.0.1 port=1"] {
            let run = try await Tool.run(
                "hosts", "--print-tables", environment: ["REALM_POSTGRES": address])
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output == Realm.SharedLog.postgresTableDefinitions + "\n")
            for table in ["head", "log", "image"] {
                #expect(run.output.contains("CREATE TABLE IF NOT EXISTS realmactors_\(table) ("))
            }
        }
    }

    @Test func printingTheTablesReadsNoLog() async throws {
        let others = [
            ["kennel"], ["--postgres", "host=db1"], ["--copy", "kennel"], ["--format", "json"],
        ]
        for more in others {
            let tool = try Tool(["hosts", "--print-tables"] + more)
            try tool.start()
            let run = try await tool.finish()
            #expect(run.status == 64 && run.output.isEmpty, "\(more): \(run.errors)")
            #expect(run.errors.contains("--print-tables"), "\(more): \(run.errors)")
        }
        let none = try await Tool.run("hosts")
        #expect(none.status == 64 && none.errors.contains("Name a realm"), "\(none.errors)")
    }

    /// Nobody listens there, and the last two are no connection strings.
    @Test(arguments: [
        "host=127.0.0.1 port=1 user=ann password=swordfish dbname=app",
        "postgresql://ann:swordfish@127.0.0.1:1/app?connect_timeout=2",
        "host=127.0.0.1 password='swordfish", "postgresql://ann:swordfish@[/app",
    ])
    func whatCannotBeReachedIsSaidWithoutThePassword(_ address: String) async throws {
        let byName = try await Tool.run("hosts", "kennel", "--postgres", address)
        let byEnvironment = try await Tool.run(
            "hosts", "kennel", "--format", "json", environment: ["REALM_POSTGRES": address])
        for run in [byName, byEnvironment] {
            #if PostgreSQL
                #expect(run.status == (address.contains(":1/") || address.contains("=1 ") ? 9 : 1))
            #else
                #expect(run.status == 1 && run.errors.contains("PostgreSQL"), "\(run.errors)")
            #endif
            #expect(run.errors.hasPrefix("error: ") && run.output.isEmpty)
            #expect(!run.errors.contains("swordfish") && !run.errors.contains("password"))
        }
    }

    @Test func aBucketIsNamedWithItsStorage() async throws {
        let wrong = [
            ["--s3", "http://127.0.0.1:1"], ["--bucket", "b"],
            ["--s3", "http://127.0.0.1:1", "--bucket", "b", "--postgres", "host=db1"],
        ]
        for more in wrong {
            let tool = try Tool(["hosts", "kennel"] + more)
            try tool.start()
            let run = try await tool.finish()
            #expect(run.status == 64 && run.errors.contains("--s3 and --bucket"), "\(run.errors)")
        }
    }

    /// Nobody listens there.
    @Test func aStorageThatCannotBeReachedIsSaidWithoutTheKeys() async throws {
        let run = try await Tool.run(
            "hosts", "kennel", "--s3", "http://127.0.0.1:1", "--bucket", "b",
            environment: [
                "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "swordfish",
            ])
        #if S3
            #expect(run.status == 9, "\(run.errors)")
        #else
            #expect(run.status == 1 && run.errors.contains("S3"), "\(run.errors)")
        #endif
        #expect(run.errors.hasPrefix("error: ") && run.output.isEmpty)
        #expect(!run.errors.contains("swordfish") && !run.errors.contains("AKIA"))
    }

    #if PostgreSQL
        /// A server of the test's own, by the script that the guide names.
        private static func withServer(_ body: (String) async throws -> Void) async throws {
            let server = Process()
            let (input, output) = (Pipe(), Pipe())
            server.executableURL =
                Tool.repository.appendingPathComponent("Documentation/QuickStart/postgres")
            server.arguments = ["sh", "-c", "echo \"$REALM_POSTGRES\"; cat"]
            server.standardInput = input
            server.standardOutput = output
            server.standardError = FileHandle.nullDevice
            try server.run()
            // The script ends the server when its command has ended.
            defer {
                try? input.fileHandleForWriting.close()
                server.waitUntilExit()
            }
            var text = Data()
            while !text.contains(10) {
                let part = output.fileHandleForReading.availableData
                try #require(!part.isEmpty, "The server has not begun.")
                text.append(part)
            }
            let line = String(decoding: text, as: UTF8.self)
            try await body(line.trimmingCharacters(in: .newlines))
        }

        private static let hasServer =
            !((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
            .isEmpty

        @Test(.enabled(if: hasServer, "There is no PostgreSQL server on this machine."))
        func hostsAreListedFromTheLog() async throws {
            try await Self.withServer { address in
                try await Kennel.with { kennel in
                    let hosts = ["one", "two"].map { kennel.folder + "/" + $0 }
                    var realms: [Realm] = []
                    for path in hosts {
                        var configuration = Kennel.configuration(path)
                        configuration.sharedLog = .postgres(
                            address, realm: "kennel", durability: .singleServer)
                        realms.append(try await Realm.open(configuration))
                    }
                    for (number, realm) in realms.enumerated() {
                        _ = try await realm.refreshed(.toNewest)
                        try await realm.write { tx in
                            try tx.create(Dog.self, value: ["id": number, "name": "dog"])
                        }
                    }
                    let run = try await Tool.run(
                        "hosts", "kennel", "--postgres", address, "--copy", hosts[1], "--format",
                        "json")
                    #expect(run.status == 0, "\(run.errors)")
                    let report = try #require(try run.json() as? [String: Any])
                    let found = try #require(report["hosts"] as? [[String: Any]])
                    #expect(
                        Set(found.compactMap { $0["id"] as? String })
                            == Set(realms.compactMap { $0.sharing.host?.uuidString }))
                    // Nothing was written after the last write.
                    #expect(found.first?["id"] as? String == realms[1].sharing.host?.uuidString)
                    #expect(found.first?["entriesSince"] as? Int == 0)
                    #expect(report["lastWriter"] as? String == realms[1].sharing.host?.uuidString)
                    let copies = try #require(report["copies"] as? [[String: Any]])
                    #expect(copies.first?["isLastWriter"] as? Bool == true)
                    #expect(
                        (report["version"] as? NSNumber)?.uint64Value
                            == realms[1].latestVersion.rawValue)
                    let text = try await Tool.run(
                        "hosts", "kennel", environment: ["REALM_POSTGRES": address])
                    #expect(text.status == 0 && text.output.contains("appended the newest"))
                    let none = try await Tool.run(
                        "hosts", "cattery", environment: ["REALM_POSTGRES": address])
                    #expect(none.status != 0 && none.errors.contains("no log of a realm"))
                    let plain = try await Tool.run(
                        "hosts", "kennel", "--postgres", address, "--copy", kennel.path)
                    #expect(plain.status == 2, "\(plain.errors)")
                    for realm in realms { try await realm.close() }
                }
            }
        }
    #endif
}
