import RealmActors
import Storage
import StorageHarness

/// Random transactions on a shelf, and consumers that maintain copies of its contents.
private struct NotificationRun {
    static let transactions = 200

    let realm: Realm
    let seed: UInt64

    func run() async throws {
        try await realm.write { tx in _ = try tx.create(Shelf.self, value: ["id": 0]) }
        let watchables = Watchable.all(in: realm)
        // For each watchable: one consumer that keeps up, one that is slow, and one that sleeps
        // after its first element until the end.
        let night = Task { try? await Task.sleep(for: .seconds(3_600)) }
        let copies = try await withThrowingTaskGroup(of: (String, [String]).self) { group in
            for (number, watchable) in watchables.enumerated() {
                let pauses: [Watchable.Pause] = [
                    {}, { try await Task.sleep(for: .microseconds(200 * (1 + number))) },
                    { await night.value },
                ]
                for pause in pauses {
                    group.addTask { (watchable.name, try await watchable.follow(pause)) }
                }
            }
            try await write()
            night.cancel()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let present = try Dictionary(
            uniqueKeysWithValues: watchables.map { ($0.name, try $0.present()) })
        for (name, copy) in copies where copy != present[name] {
            throw Violation("\(name): a copy has \(copy), there is \(present[name] ?? [])")
        }
        try await awaitOnlyNewestVersion("all consumers have left")
    }

    private func write() async throws {
        var random = SeededGenerator(seed: seed)
        var resident = 0
        for number in 1..<Self.transactions {
            let seed = random.next()
            try await realm.write { tx in
                var random = SeededGenerator(seed: seed)
                try ShelfEdits.edit(tx, &random)
            }
            if number % 20 == 0 { try await storm(&random) }
            if number % 50 == 0 {
                // Sleeping consumers hold no version, however many there were.
                try await awaitOnlyNewestVersion("\(number) transactions")
                let nodes = realm.statistics.residentNodes
                if resident == 0 { resident = nodes }
                guard nodes < 4 * resident else {
                    throw Violation("\(nodes) nodes in memory, there were \(resident)")
                }
            }
        }
        let seed = random.next()
        try await realm.write { tx in
            var random = SeededGenerator(seed: seed)
            try ShelfEdits.finish(tx, &random)
        }
    }

    /// Starts many consumers and cancels them, before their first element or after it.
    private func storm(_ random: inout SeededGenerator) async throws {
        let watchables = Watchable.all(in: realm)
        var tasks: [Task<[String], any Error>] = []
        for _ in 0..<40 {
            let watchable = watchables[random.next(below: watchables.count)]
            tasks.append(Task { try await watchable.follow {} })
            for _ in 0..<random.next(below: 4) { await Task.yield() }
            if random.oneIn(2) { tasks[random.next(below: tasks.count)].cancel() }
        }
        for task in tasks { task.cancel() }
        // A cancelled stream ends; it does not throw.
        for task in tasks { _ = try await task.value }
    }

    /// Waits until the newest version is the only one in memory.
    private func awaitOnlyNewestVersion(_ moment: String) async throws {
        for _ in 0..<2_000 {
            if realm.activeVersions.map(\.version) == [realm.latestVersion] { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw Violation("versions \(realm.activeVersions) are held behind \(moment)")
    }
}

extension Campaign {
    /// Copies that are maintained only by change streams.
    static let notifications = Campaign(
        id: "C14", title: "copies kept by change streams", unit: "transactions",
        shortCount: { 25 }
    ) { seed, _ in
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: "notifications \(seed)",
                objectTypes: [Item.self, Shelf.self]))
        try await NotificationRun(realm: realm, seed: seed).run()
        try await realm.close()
        return NotificationRun.transactions
    }
}
