import GRDB

extension GRDBPeer {
    /// A state that the watcher saw: the sum of ages says which.
    private struct Arrival {
        var time: ContinuousClock.Instant
        var ages: Int
    }

    static func streamLatencies(
        path: String, rows: Int, commits: Int
    ) async throws -> [Double]? {
        let pool = try openPool(path, .unsynced)
        try await pool.write { database in
            for number in 0..<rows { try PersonRecord(number, key: number).insert(database) }
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Arrival.self)
        let observation = ValueObservation.tracking { try PersonRecord.fetchAll($0) }
        let watcher = Task {
            defer { continuation.finish() }
            for try await persons in observation.values(in: pool) {
                let now = ContinuousClock.now
                continuation.yield(Arrival(time: now, ages: persons.reduce(0) { $0 + $1.age }))
            }
        }
        var arrivals = seen.makeAsyncIterator()
        var ages = await arrivals.next()?.ages ?? 0

        var latencies: [Double] = []
        for turn in 0..<commits {
            let key = Dataset.pick(3, turn, of: rows)
            let start = ContinuousClock.now
            try await pool.write { database in
                let statement = try database.cachedStatement(
                    sql: "UPDATE persons SET age = age + 1 WHERE id = ?")
                try statement.execute(arguments: [key])
            }
            ages += 1
            // The same state may come twice; what counts is when the new one is there.
            var arrival = await arrivals.next()
            while let found = arrival, found.ages < ages { arrival = await arrivals.next() }
            guard let arrival else { break }
            latencies.append((arrival.time - start).inSeconds * 1e6)
        }
        watcher.cancel()
        _ = await watcher.result
        try pool.close()
        return latencies
    }
}
