import Flights
import RealmActors

/// Tasks that write delays at the same time, each write a durable transaction of its own.
struct DelayWriters {
    static let taskCount = 64
    static let writesPerTask = 50

    /// Flights that departed. References are Sendable: they find the flight in any transaction.
    private let departed: [ObjectReference<Flight>]

    init(flights: FrozenResults<Flight>) {
        departed = flights.where { $0.departure != nil }.map { $0.reference }
    }

    /// Runs all tasks and returns the minutes they added, by carrier.
    func run(in realm: Realm, _ summary: inout Summary) async throws -> [String: Int] {
        guard !departed.isEmpty else { return [:] }
        let before = realm.statistics
        let clock = ContinuousClock()
        let start = clock.now
        let written = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for task in 0..<Self.taskCount {
                group.addTask { try await write(asTask: task, in: realm) }
            }
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        let duration = clock.now - start
        let commits = Self.taskCount * Self.writesPerTask
        let syncs = max(1, realm.statistics.syncs - before.syncs)
        let rate = Int(Double(commits) / duration.seconds)
        summary.add(
            "written", "\(commits.grouped) durable transactions by \(Self.taskCount) tasks",
            """
            \(duration.readable), \(rate.grouped) commits/s, \
            \((Double(commits) / Double(syncs)).tenths) per sync
            """)
        return written
    }

    /// The writes of one task. The flights of different tasks overlap: no update is lost, since
    /// transactions take turns.
    private func write(asTask task: Int, in realm: Realm) async throws -> [String: Int] {
        var written: [String: Int] = [:]
        for number in 0..<Self.writesPerTask {
            let reference = departed[(task * 101 + number * 7919) % departed.count]
            let minutes = 30 + number
            let carrier = try await realm.write { tx in
                guard let flight = tx.resolve(reference) else { return nil as String? }
                flight.departureDelay = (flight.departureDelay ?? 0) + minutes
                return flight.airline?.code ?? "?"
            }
            if let carrier { written[carrier, default: 0] += minutes }
        }
        return written
    }
}
