#if S3
    import Foundation
    import StorageHarness
    import Synchronization
    import Testing

    @testable import Storage

    /// Hosts that write, create images and trim in a bucket that loses, repeats, delays or refuses
    /// requests.
    @Suite struct S3FaultTests {
        private static let seeds =
            UInt64(ProcessInfo.processInfo.environment["S3_SEEDS"] ?? "") ?? 12
        private static let writes = 30

        /// The answers that hosts got.
        private struct Answers {
            var done: Set<Int64> = []
            var unknown: Set<Int64> = []
            var refused: Set<Int64> = []
        }

        private static func open(_ bucket: MemoryBucket) throws -> SharedHost {
            try SharedHost(S3SharedLog(bucket, realm: "realm"))
        }

        /// Random faults, in one of eight requests, or in so few that images can be created; a late
        /// request is executed at any time.
        private static func disturb(_ bucket: MemoryBucket, _ seed: UInt64) {
            let distance = seed % 3 == 0 ? 8 : 100
            let random = Mutex(SeededGenerator(seed: seed))
            bucket.fail { [weak bucket] _ in
                let (delivers, fails, kind) = random.withLock { random in
                    (
                        Int.random(in: 0..<8, using: &random) == 0,
                        Int.random(in: 0..<distance, using: &random) == 0,
                        Int.random(in: 0..<8, using: &random)
                    )
                }
                if delivers { bucket?.deliverLate() }
                guard fails else { return nil }
                switch kind {
                case 0: return .loseAnswer
                case 1: return .loseRequest
                case 2, 3: return .late
                case 4: return .twice
                case 5: return .answer(503, "SlowDown")
                case 6: return .answer(409, "ConditionalRequestConflict")
                default: return .unreachable
                }
            }
        }

        private static func write(_ numbers: Range<Int64>, on host: SharedHost) async -> Answers {
            var answers = Answers()
            for number in numbers {
                do {
                    try await host.write(number)
                    answers.done.insert(number)
                } catch StorageError.commitOutcomeUnknown {
                    answers.unknown.insert(number)
                } catch {
                    answers.refused.insert(number)
                }
                try? await host.store.refreshFromHosts()
                if number % 3 == 0 { try? host.store.makeImageIfDue() }
            }
            return answers
        }

        @Test func noCommitIsLostOrRepeated() async throws {
            var trims = 0
            for seed in 0..<Self.seeds {
                let bucket = MemoryBucket()
                let hosts = try (0..<3).map { _ in try Self.open(bucket) }
                Self.disturb(bucket, seed)
                let answers = await withTaskGroup(of: Answers.self) { group in
                    for (number, host) in hosts.enumerated() {
                        let first = Int64(number * 1000)
                        group.addTask {
                            await Self.write(first..<first + Int64(Self.writes), on: host)
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                bucket.fail(nil)
                for host in hosts { try await host.store.refreshFromHosts() }
                // The contents according to a new host.
                let new = try Self.open(bucket)
                let numbers = new.numbers.sorted()
                let found = Set(numbers)
                #expect(found.count == numbers.count, "seed \(seed): twice")
                for answer in answers {
                    #expect(answer.done.isSubset(of: found), "seed \(seed): lost")
                    #expect(answer.refused.isDisjoint(with: found), "seed \(seed): refused")
                }
                for host in hosts + [new] {
                    #expect(host.numbers.sorted() == numbers, "seed \(seed)")
                    #expect(try host.store.engine.verify(ReadingMonitor()).problems.isEmpty)
                    try await host.store.close()
                }
                let log = try S3SharedLog(bucket, realm: "realm")
                if try log.head().first > .first { trims += 1 }
            }
            #expect(trims > 0)
        }
    }
#endif
