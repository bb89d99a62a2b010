import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// Hosts of one realm in a bucket.
#if S3
    @Suite(
        .enabled(if: MotoServer.isInstalled, "moto is not installed on this machine."), .serialized)
    struct S3HostTests {
        private static func configuration(
            _ path: String, _ server: MotoServer, key: EncryptionKey? = nil,
            credentials: Realm.SharedLog.S3Credentials? = nil
        ) -> Realm.Configuration {
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Mark.self], writeTimeout: nil)
            configuration.encryptionKey = key
            configuration.sharedLog = log(server, credentials)
            return configuration
        }

        private static func log(
            _ server: MotoServer, _ credentials: Realm.SharedLog.S3Credentials? = nil
        ) -> Realm.SharedLog {
            .s3(
                endpoint: server.endpoint, bucket: server.bucket, region: server.region,
                realm: "marks",
                credentials: credentials
                    ?? .lookedUp { .keys(server.accessKey, secret: server.secretKey) },
                polling: .milliseconds(5)...(.milliseconds(100)))
        }

        private static func count(_ end: Int, on host: Realm) async throws {
            for _ in 0..<end {
                try await host.write { tx in
                    guard let mark = tx.objects(Mark.self).first else { return }
                    mark.weight += 1
                }
            }
        }

        /// Each host counts in turn with the others, each count by its own transaction.
        @Test func noUpdateIsLost() async throws {
            try await MotoServer.run(checksSignatures: true) { server in
                try await withStorePath { path in
                    var hosts: [Realm] = []
                    for number in 0..<2 {
                        hosts.append(
                            try await Realm.open(Self.configuration(path + "-\(number)", server)))
                    }
                    try await hosts[0].write { tx in
                        _ = try tx.create(Mark.self, value: ["number": 0])
                    }
                    for host in hosts { _ = try await host.refreshed(.toNewest) }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for host in hosts {
                            for _ in 0..<2 { group.addTask { try await Self.count(10, on: host) } }
                        }
                        try await group.waitForAll()
                    }
                    for host in hosts {
                        let snapshot = try await host.refreshed(.toNewest)
                        #expect(snapshot.objects(Mark.self).first?.weight == 40)
                        #expect(try await host.verify().isIntact)
                    }
                    for host in hosts { try await host.close() }
                    for number in 0..<2 { try Realm.deleteFiles(at: path + "-\(number)") }
                }
            }
        }

        /// Without being asked to look.
        @Test func aChangeIsReportedOnAnotherHost() async throws {
            try await MotoServer.run { server in
                try await withStorePath { path in
                    let one = try await Realm.open(Self.configuration(path + "-0", server))
                    let other = try await Realm.open(Self.configuration(path + "-1", server))
                    try await one.write { tx in
                        _ = try tx.create(Mark.self, value: ["number": 7])
                    }
                    for try await change in other.objects(Mark.self).changes()
                    where change.collection.first?.number == 7 { break }
                    for host in [one, other] { try await host.close() }
                    for number in 0..<2 { try Realm.deleteFiles(at: path + "-\(number)") }
                }
            }
        }

        /// The bucket has sizes only of one that is encrypted.
        @Test(arguments: EncryptionAlgorithm.isAvailable ? [false, true] : [false])
        func aHostBeginsWithAnImage(isEncrypted: Bool) async throws {
            let key = isEncrypted ? try EncryptionKey.made() : nil
            try await MotoServer.run { server in
                try await withStorePath { path in
                    func open(_ number: Int) async throws -> Realm {
                        var configuration = Self.configuration(
                            path + "-\(number)", server, key: key)
                        configuration.sharedLog?.imageBytesMin = 1 << 10
                        return try await Realm.open(configuration)
                    }
                    let log = Self.log(server)
                    let first = try await open(0)
                    var count = 0
                    while try await log.overview().firstEntry < 4 {
                        let number = count
                        try await first.write { tx in
                            _ = try tx.create(Mark.self, value: ["number": number])
                        }
                        count += 1
                    }
                    #expect(try await log.overview().images.count >= 1)
                    let second = try await open(1)
                    #expect(second.objects(Mark.self).values(of: \.number) == Array(0..<count))
                    try await Self.count(3, on: second)
                    _ = try await first.refreshed(.toNewest)
                    for host in [first, second] {
                        #expect(host.objects(Mark.self).first?.weight == 3)
                        #expect(try await host.verify().isIntact)
                        try await host.close()
                    }
                    for number in 0..<2 { try Realm.deleteFiles(at: path + "-\(number)") }
                }
            }
        }

        @Test func aLogIsRestoredAndLookedAt() async throws {
            try await MotoServer.run { server in
                try await withStorePath { path in
                    let log = Self.log(server)
                    await #expect(throws: RealmError.self) {
                        try await Realm.restore(from: log, asOf: .newest, to: path + "-r")
                    }
                    let host = try await Realm.open(Self.configuration(path, server))
                    try await host.write { tx in
                        _ = try tx.create(Mark.self, value: ["number": 7])
                    }
                    try await Realm.restore(from: log, asOf: .newest, to: path + "-r")
                    let overview = try await log.overview()
                    #expect(overview.hosts.map(\.id) == [host.sharing.host])
                    let restored = try await Realm.open(
                        Realm.Configuration(path: path + "-r", objectTypes: [Mark.self]))
                    #expect(restored.snapshot().objects(Mark.self).first?.number == 7)
                    try await restored.close()
                    try await host.close()
                    try Realm.deleteFiles(at: path + "-r")
                }
            }
        }

        @Test func aServerThatIsGoneIsSaidToBe() async throws {
            try await MotoServer.run { server in
                try await withStorePath { path in
                    var configuration = Self.configuration(path, server)
                    configuration.writeTimeout = .milliseconds(300)
                    let host = try await Realm.open(configuration)
                    server.stop()
                    await #expect {
                        try await host.write { tx in
                            _ = try tx.create(Mark.self, value: ["number": 1])
                        }
                    } throws: { error in
                        switch error {
                        case RealmError.sharedLogUnavailable, RealmError.commitOutcomeUnknown: true
                        default: false
                        }
                    }
                    try await host.close()
                }
            }
        }

        @Test func whoMayNotIsRefusedWithoutHisSecret() async throws {
            try await MotoServer.run(checksSignatures: true) { server in
                try await withStorePath { path in
                    let wrong = Self.configuration(
                        path, server, credentials: .keys(server.accessKey, secret: "swordfish"))
                    do {
                        _ = try await Realm.open(wrong)
                        Issue.record("It may not be opened.")
                    } catch RealmError.sharedLogRefused(let reason) {
                        #expect(!reason.contains("swordfish") && !reason.contains(server.accessKey))
                    }
                    // Nothing is left, and the right ones go on.
                    try await Realm.open(Self.configuration(path, server)).close()
                }
            }
        }
    }
#endif

/// What the credentials of a bucket say of themselves.
@Suite struct S3CredentialsTests {
    private static let keys = Realm.SharedLog.S3Credentials.keys(
        "AKIAIOSFODNN7EXAMPLE", secret: "swordfish", sessionToken: "swordfish")

    @Test func theyAreNotDescribed() {
        var dumped = ""
        dump(Self.keys, to: &dumped)
        for text in ["\(Self.keys)", String(reflecting: Self.keys), "\([Self.keys])", dumped] {
            #expect(!text.contains("AKIA") && !text.contains("swordfish"), "\(text)")
        }
    }

    #if !S3
        @Test func aClientThatWasNotBuiltIsNamed() async throws {
            let endpoint = try #require(URL(string: "https://127.0.0.1"))
            try await withStorePath { path in
                var configuration = Realm.Configuration(path: path, objectTypes: [Mark.self])
                configuration.sharedLog = .s3(
                    endpoint: endpoint, bucket: "b", region: "r", realm: "marks",
                    credentials: Self.keys)
                await #expect(throws: RealmError.sharedLogNotEnabled(trait: "S3")) {
                    _ = try await Realm.open(configuration)
                }
            }
        }
    #endif
}
