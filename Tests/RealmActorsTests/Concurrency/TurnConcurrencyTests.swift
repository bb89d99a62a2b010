import Foundation
import RealmActors
import Synchronization
import Testing

final class TurnRow: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var writer: Int
}

/// Two balances whose sum never changes.
final class Account: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var balance: Int
}

/// Writers take turns, whoever is cancelled. Run under Thread Sanitizer.
@Suite struct TurnConcurrencyTests {
    private static func realm(
        maximumNumberOfActiveVersions: UInt? = nil
    ) async throws -> Realm {
        try await Realm.open(
            .init(
                path: NSTemporaryDirectory() + "turns-\(UUID().uuidString).realm",
                objectTypes: [TurnRow.self, Account.self],
                maximumNumberOfActiveVersions: maximumNumberOfActiveVersions))
    }

    /// Notices when two bodies run at once.
    private final class Gate: Sendable {
        private let isInside = Atomic<Bool>(false)
        let violations = Atomic<Int>(0)
        let runs = Atomic<Int>(0)

        func enter() {
            if isInside.exchange(true, ordering: .sequentiallyConsistent) {
                violations.wrappingAdd(1, ordering: .relaxed)
            }
            runs.wrappingAdd(1, ordering: .relaxed)
        }

        func leave() { isInside.store(false, ordering: .sequentiallyConsistent) }
    }

    @Test func tenThousandWritersOfWhichAThirdIsCancelledTakeTurns() async throws {
        let realm = try await Self.realm()
        let gate = Gate()
        let seed = UInt64.random(in: 0..<1 << 32)
        var generator = TurnGenerator(state: seed)
        var tasks: [Task<Bool, any Error>] = []
        for number in 0..<10_000 {
            let isLive = number % 97 == 0
            let task = Task<Bool, any Error> {
                do {
                    if isLive {
                        try await LiveWriter().write(number, realm, gate)
                    } else {
                        try await realm.write { tx in
                            gate.enter()
                            defer { gate.leave() }
                            try tx.create(TurnRow.self, value: ["number": number, "writer": 1])
                        }
                    }
                    return true
                } catch is CancellationError {
                    return false
                }
            }
            tasks.append(task)
            if generator.next() % 10 < 3 {
                let victim = tasks[Int(generator.next() % UInt64(tasks.count))]
                victim.cancel()
            }
            if number % 64 == 0 { await Task.yield() }
        }
        var committed: [Int] = []
        for (number, task) in tasks.enumerated() {
            if try await task.value { committed.append(number) }
        }
        #expect(gate.violations.load(ordering: .relaxed) == 0, "SEED=\(seed)")
        let rows = realm.objects(TurnRow.self)
        // A cancelled writer that was told so left nothing; everyone else committed once.
        #expect(Set(rows.map { $0.number }) == Set(committed), "SEED=\(seed)")
        #expect(rows.count == committed.count)
        #expect(gate.runs.load(ordering: .relaxed) >= committed.count)
    }

    /// Holds its write across suspensions.
    private actor LiveWriter {
        func write(_ number: Int, _ realm: Realm, _ gate: Gate) async throws {
            let live = try await realm.live()
            try await live.beginWrite()
            gate.enter()
            try live.create(TurnRow.self, value: ["number": number, "writer": 2])
            await Task.yield()
            gate.leave()
            try await live.commitWrite()
        }
    }

    @Test func readersNeverSeeHalfATransaction() async throws {
        let realm = try await Self.realm()
        try await realm.write { tx in
            for number in 0..<10 {
                try tx.create(Account.self, value: ["number": number, "balance": 100])
            }
        }
        let broken = await withTaskGroup(of: Int.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for step in 0..<60 {
                        let (from, to) = ((writer + step) % 10, (writer * 3 + step * 7 + 1) % 10)
                        try? await realm.write { tx in
                            let accounts = tx.objects(Account.self)
                            accounts[from].balance -= step
                            if step % 11 == 0 { throw CancellationError() }
                            accounts[to].balance += step
                        }
                    }
                    return 0
                }
            }
            for _ in 0..<16 {
                group.addTask {
                    var broken = 0
                    for _ in 0..<100 {
                        let accounts = realm.snapshot().objects(Account.self)
                        if accounts.sum(of: \.balance) != 1000 || accounts.count != 10 {
                            broken += 1
                        }
                        await Task.yield()
                    }
                    return broken
                }
            }
            return await group.reduce(0, +)
        }
        #expect(broken == 0)
    }

    @Test func streamsUnderConcurrentWritesEndAtTheTruth() async throws {
        let realm = try await Self.realm()
        let watchers = (0..<4).map { _ in
            Task {
                var rows: [Int] = []
                for try await change in realm.objects(TurnRow.self).changes() {
                    switch change {
                    case .initial(let all): rows = all.map { $0.number }
                    case .update(let all, let deletions, let insertions, _):
                        for index in deletions.reversed() { rows.remove(at: index) }
                        for index in insertions { rows.insert(all[index].number, at: index) }
                    }
                    if rows.contains(-1) { return rows }
                }
                return rows
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for step in 0..<40 {
                        try await realm.write { tx in
                            let number = writer * 1000 + step
                            try tx.create(
                                TurnRow.self, value: ["number": number, "writer": writer])
                            if step % 5 == 4, let row = tx.objects(TurnRow.self).first {
                                try tx.delete(row)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await realm.write { tx in try tx.create(TurnRow.self, value: ["number": -1]) }
        let truth = realm.objects(TurnRow.self).map { $0.number }
        for watcher in watchers {
            let rows = try await watcher.value
            #expect(rows == truth)
        }
    }

    @Test func heldVersionsAreCountedAndNoneLeaks() async throws {
        let realm = try await Self.realm()
        try await realm.write { tx in
            for number in 0..<500 { try tx.create(TurnRow.self, value: ["number": number]) }
        }
        let nodes = realm.statistics.residentNodes
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var held: [Snapshot] = []
                    for step in 0..<60 {
                        held.append(realm.snapshot(label: "task \(task)"))
                        if step % 6 == 0 {
                            try? await realm.write { tx in
                                tx.object(TurnRow.self, forPrimaryKey: step)?.writer += 1
                            }
                        }
                        if held.count > 5 { held.removeFirst() }
                    }
                }
            }
        }
        #expect(realm.activeVersions.count == 1)
        #expect(realm.activeVersions.first?.holders == 0)
        // The publisher gives up the version before the last just after it tells the writer.
        for _ in 0..<1000 where realm.statistics.residentNodes > nodes + 8 {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(realm.statistics.residentNodes <= nodes + 8)
    }
}

/// Gives the same numbers for the same seed.
private struct TurnGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
