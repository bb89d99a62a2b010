#if os(Linux) && PostgreSQL
    import Foundation
    import RealmActors
    import Storage
    import StorageHarness
    import Synchronization

    /// A process that is a host of the campaign's realm, with its own folder.
    struct HostRole: Sendable {
        enum Mode: String {
            /// Commits, watches and reads until it is requested to rest.
            case writing
            /// Reports the newest version when no host writes any more.
            case resting
            /// The same for a new host, which also reports each commit of the log.
            case witness
        }

        let mode: Mode
        let folder: String
        let connection: String
        let durability: Realm.SharedLog.Durability
        let realm: String
        let mistake: HostMistake?
        let number: Int
        let opening: Int

        private static let writers = 2

        init?(_ arguments: [String]) {
            guard arguments.count == 9, arguments[0] == "child-host",
                let mode = Mode(rawValue: arguments[1]), let number = Int(arguments[7]),
                let opening = Int(arguments[8])
            else { return nil }
            self.mode = mode
            (folder, connection) = (arguments[2], arguments[3])
            durability = arguments[4] == "quorum" ? .quorum : .singleServer
            realm = arguments[5]
            mistake = mode == .writing ? HostMistake(rawValue: arguments[6]) : nil
            (self.number, self.opening) = (number, opening)
        }

        static func realm(in folder: String) -> String { folder + "/host.realm" }

        /// The file whose existence requests the hosts in a folder to rest.
        static func restFile(in folder: String) -> String { folder + "/rest" }

        private var isResting: Bool {
            FileManager.default.fileExists(
                atPath: Self.restFile(in: (folder as NSString).deletingLastPathComponent))
        }

        /// A generator with another seed for each opening.
        private var random: SeededGenerator {
            SeededGenerator(seed: UInt64(number * 10_000 + opening))
        }

        func run() async throws {
            do {
                switch mode {
                case .writing:
                    guard let realm = try await open(until: { isResting }) else { return }
                    try await work(realm)
                case .resting, .witness:
                    let end = ContinuousClock.now + Patience.limit
                    guard let realm = try await open(until: { .now > end }) else {
                        throw Violation("the realm cannot be opened")
                    }
                    try await show(realm)
                }
            } catch RealmError.sharedLogDiverged {
                HostReport.diverged.send()
            }
        }

        /// Nil if `isOver` returns true before the engine can be reached.
        private func open(until isOver: () -> Bool) async throws -> Realm? {
            var random = random
            var configuration = Realm.Configuration(
                path: Self.realm(in: folder), objectTypes: [HostedRow.self],
                writeTimeout: .milliseconds(1_000 + random.next(below: 6_000)))
            var log =
                mistake?.log(connection, realm: realm)
                ?? .postgres(connection, realm: realm, durability: durability)
            log.imageBytesMin = 32 << 10
            configuration.sharedLog = log
            // Images are created, but all entries are kept nevertheless.
            configuration.history = .keep(bytes: 1 << 40)
            while !isOver() {
                do {
                    return try await Realm.open(configuration)
                } catch RealmError.sharedLogUnavailable, RealmError.commitOutcomeUnknown,
                    RealmError.superseded
                {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            return nil
        }

        // MARK: Working

        private func work(_ realm: Realm) async throws {
            let delivered = DeliveredVersion()
            let watching = Task {
                do {
                    try await watch(realm, delivered)
                } catch {
                    fail(error)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<Self.writers {
                    group.addTask { try await write(realm, writer) }
                }
                group.addTask { try await read(realm) }
                try await group.waitForAll()
            }
            let newest = try await refresh(realm).version.rawValue
            try await delivered.awaitVersion(newest)
            watching.cancel()
            await watching.value
            try await close(realm)
        }

        private func write(_ realm: Realm, _ writer: Int) async throws {
            var random = random
            var count = writer
            while !isResting {
                let number = Int64(number * 10_000 + opening) * 1_000_000 + Int64(count)
                count += Self.writers
                HostReport.begun(number: number, moment: HostReport.now).send()
                do {
                    let version = try await realm.write { tx in
                        try HostedRow.commit(number, tx)
                        return tx.version
                    }
                    HostReport.acknowledged(
                        number: number, moment: HostReport.now, Version(version.rawValue)
                    ).send()
                } catch RealmError.sharedLogUnavailable, RealmError.superseded,
                    RealmError.writerBusy
                {
                    HostReport.refused(number: number, moment: HostReport.now).send()
                } catch RealmError.commitOutcomeUnknown {
                    HostReport.unknown(number: number, moment: HostReport.now).send()
                }
                // Some commits follow each other without a pause.
                let pause = random.oneIn(3) ? 0 : random.next(below: 80)
                try await Task.sleep(for: .milliseconds(pause))
            }
        }

        /// Reports the contents of a replica that is maintained only by the stream.
        private func watch(_ realm: Realm, _ delivered: DeliveredVersion) async throws {
            var copy = Replica<HostRows.Row>()
            for try await change in realm.objects(HostedRow.self).changes() {
                try copy.apply(change, "the stream") { HostRows.Row($0) }
                let version = change.collection.snapshot.version.rawValue
                HostReport.element(Version(version), hash: HostRows(copy.elements).hash).send()
                delivered.version.store(version, ordering: .relaxed)
            }
            if !Task.isCancelled { throw Violation("the stream has ended") }
        }

        private func read(_ realm: Realm) async throws {
            var random = random
            while !isResting {
                var snapshot = realm.snapshot()
                if random.oneIn(3) {
                    let begun = HostReport.now
                    do {
                        snapshot = try await realm.refreshed(.toNewest)
                        HostReport.refresh(begun: begun, Version(snapshot.version.rawValue)).send()
                    } catch RealmError.sharedLogUnavailable, RealmError.writerBusy {
                        // The engine cannot be reached.
                    } catch RealmError.commitOutcomeUnknown {
                        // Nor can the outcome of a previous commit be determined.
                    }
                }
                HostReport.snapshot(
                    Version(snapshot.version.rawValue), hash: HostRows(snapshot).hash
                ).send()
                try await Task.sleep(for: .milliseconds(20 + random.next(below: 200)))
            }
        }

        // MARK: Resting

        /// The newest version, including everything that was done before.
        private func refresh(_ realm: Realm) async throws -> Snapshot {
            let end = ContinuousClock.now + Patience.limit
            while true {
                do {
                    return try await realm.refreshed(.toNewest)
                } catch let error as RealmError {
                    guard ContinuousClock.now < end else { throw error }
                    switch error {
                    case .sharedLogUnavailable, .commitOutcomeUnknown, .writerBusy: break
                    default: throw error
                    }
                }
            }
        }

        private func show(_ realm: Realm) async throws {
            let newest = try await refresh(realm)
            if mode == .witness { try await CommitReader.report(realm) }
            HostReport.newest(Version(newest.version.rawValue), hash: HostRows(newest).hash).send()
            try await close(realm)
        }

        private func close(_ realm: Realm) async throws {
            let problems = try await realm.verify().problems
            if let problem = problems.first { throw Violation("verify says \(problem)") }
            try await realm.close()
        }

        private func fail(_ error: any Error) {
            if case RealmError.sharedLogDiverged = error {
                HostReport.diverged.send()
                exit(0)
            }
            HostReport.problem("\(error)").send()
            exit(1)
        }
    }

    /// The newest version that a stream has delivered.
    private final class DeliveredVersion: Sendable {
        let version = Atomic<UInt64>(0)

        func awaitVersion(_ newest: UInt64) async throws {
            let end = ContinuousClock.now + Patience.limit
            while version.load(ordering: .relaxed) < newest {
                if ContinuousClock.now > end {
                    throw Violation("the stream does not come to version \(newest)")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
#endif
