import Foundation
import RealmActors
import Testing

#if os(Linux) || os(macOS)
    /// A process that writes is killed at random moments: what it had acknowledged is there
    /// afterwards, and no transaction is torn. `KILLS=200` is the long form.
    @Suite(.serialized) struct KillTests {
        @Test func acknowledgedCommitsSurviveKilling() async throws {
            let kills = KillChild.environment["KILLS"].flatMap { Int($0) } ?? 15
            var random = StreamRandom()
            try await withStorePath { path in
                var acknowledged = 0
                for kill in 1...kills {
                    let delay = Double.random(in: 0..<0.04, using: &random)
                    // Some die while they open the store.
                    let waits = kill % 5 != 0
                    let child = try KillChild(path: path)
                    let numbers = try await child.killed(
                        afterFirst: waits, seconds: delay)
                    acknowledged = max(acknowledged, numbers.max() ?? 0)
                    guard Realm.exists(at: path) else { continue }
                    acknowledged = try await check(path, acknowledged, writes: kill % 3 == 0)
                }
                #expect(acknowledged > kills / 3, "SEED=\(random.seed)")
            }
        }

        /// Opens what is left. Every third time this process writes as well, which is acknowledged
        /// too; else it opens without writing, so that the next child finds what the last one left.
        private func check(_ path: String, _ acknowledged: Int, writes: Bool) async throws -> Int {
            let configuration = Realm.Configuration(
                path: path, objectTypes: KillWorkload.types, readOnly: !writes)
            let realm: Realm
            do {
                realm = try await Realm.open(configuration)
            } catch RealmError.fileNotFound where acknowledged == 0 {
                return 0
            }
            let problem = KillWorkload.problem(
                in: realm.snapshot(), acknowledged: acknowledged)
            #expect(problem == nil)
            let newest = writes ? try await KillWorkload.write(realm) : acknowledged
            try await realm.close()
            return newest
        }

        /// The process that is killed. Three tasks write, so that syncs carry several transactions.
        @Test(.enabled(if: KillChild.storePath != nil))
        func childWritesUntilItIsKilled() async throws {
            let path = try #require(KillChild.storePath)
            let realm = try await Realm.open(
                .init(path: path, objectTypes: KillWorkload.types))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        while !Task.isCancelled {
                            KillChild.acknowledge(try await KillWorkload.write(realm))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
#endif
