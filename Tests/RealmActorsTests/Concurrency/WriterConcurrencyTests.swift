import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// 10,000 writers, of which three in ten are cancelled at random, beside live realms that keep
/// their writes open across awaits.
@Suite struct WriterConcurrencyTests {
    /// What the bodies did, noted by themselves.
    private final class Journal: Sendable {
        struct State {
            var isInside = false
            var overlaps = 0
            var started: [Int] = []
            var committed: Set<Int> = []
            var refused: Set<Int> = []
        }

        let state = Mutex(State())

        func enter(_ number: Int) {
            state.withLock { state in
                if state.isInside { state.overlaps += 1 }
                state.isInside = true
                state.started.append(number)
            }
        }

        func leave() { state.withLock { $0.isInside = false } }
    }

    private actor Keeper {
        private let realm: Realm
        private let journal: Journal

        init(_ realm: Realm, _ journal: Journal) {
            self.realm = realm
            self.journal = journal
        }

        func write(_ numbers: Range<Int>) async throws {
            let live = try await realm.live()
            for number in numbers {
                try await live.beginWrite()
                journal.enter(number)
                try live.create(Mark.self, value: ["number": number])
                await Task.yield()
                live.object(Tally.self, forPrimaryKey: 0)?.value += 1
                await Task.yield()
                journal.leave()
                try await live.commitWrite()
                journal.state.withLock { _ = $0.committed.insert(number) }
            }
        }
    }

    @Test("T9: cancelled writers never run, and others commit once", arguments: [false, true])
    func cancelledWritersNeverRunAndOthersCommitOnce(isOnDisk: Bool) async throws {
        let writers = 10_000
        let random = SeededGenerator()
        try await withFreshRealm([Mark.self, Tally.self]) { configuration in
            configuration.writeTimeout = nil
            if !isOnDisk {
                configuration.path = nil
                configuration.inMemoryIdentifier = UUID().uuidString
            }
        } _: { realm in
            try await realm.write { tx in _ = try tx.create(Tally.self, value: ["id": 0]) }
            let journal = Journal()
            let asked = await run(writers, realm, journal, random)
            let state = journal.state.withLock { $0 }
            let seed = "SEED=\(random.seed)"
            #expect(state.overlaps == 0, "\(seed)")
            #expect(Set(state.started).count == state.started.count, "\(seed)")
            #expect(Set(state.started) == state.committed, "\(seed)")
            #expect(state.refused.isSubset(of: asked), "\(seed)")
            #expect(state.refused.isDisjoint(with: state.committed), "\(seed)")
            #expect(state.refused.count + state.committed.count == writers + 100, "\(seed)")
            let numbers = realm.objects(Mark.self).values(of: \.number)
            #expect(numbers.sorted() == state.committed.sorted(), "\(seed)")
            let tally = realm.object(Tally.self, forPrimaryKey: 0)
            #expect(tally?.value == state.committed.count, "\(seed)")
        }
    }

    /// Runs them all and returns the numbers of the writers that were cancelled at some time.
    private func run(
        _ writers: Int, _ realm: Realm, _ journal: Journal, _ seeded: SeededGenerator
    ) async -> Set<Int> {
        var random = seeded
        let asked = Set((0..<writers).filter { _ in Int.random(in: 0..<10, using: &random) < 3 })
        let keepers = (0..<4).map { keeper in
            Task {
                let first = writers + keeper * 25
                try await Keeper(realm, journal).write(first..<first + 25)
            }
        }
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<writers {
            tasks.append(Task { try await Self.write(number, realm, journal) })
            guard number % 16 == 15 else { continue }
            // Some are cancelled before they came to wait, some while they wait, some too late.
            let candidates = (max(0, number - 31)...number).filter { asked.contains($0) }
            for candidate in candidates where Bool.random(using: &random) {
                tasks[candidate].cancel()
            }
            if Int.random(in: 0..<8, using: &random) == 0 { await Task.yield() }
        }
        for number in asked { tasks[number].cancel() }
        for task in tasks + keepers {
            let result = await task.result
            if case .failure(let error) = result { Issue.record(error) }
        }
        return asked
    }

    private static func write(_ number: Int, _ realm: Realm, _ journal: Journal) async throws {
        do {
            try await realm.write { tx in
                journal.enter(number)
                try tx.create(Mark.self, value: ["number": number])
                tx.object(Tally.self, forPrimaryKey: 0)?.value += 1
                journal.leave()
            }
            journal.state.withLock { _ = $0.committed.insert(number) }
        } catch is CancellationError {
            journal.state.withLock { _ = $0.refused.insert(number) }
        }
    }
}
