import Flights
import RealmActors

/// A change stream on the flights that left two hours late or more, printed as it goes.
struct LateFlights {
    private let task: Task<Tally, any Error>
    private let late: @Sendable () -> Int
    private let initial: Int
    private let counts: AsyncStream<Int>

    /// What the stream said, added up.
    private struct Tally {
        var initial = 0
        var insertions = 0
        var deletions = 0
        var modifications = 0
        var elements = 0
        var last = 0
    }

    /// Starts watching; returns when the initial flights have been seen.
    static func watch(_ realm: Realm) async throws -> LateFlights {
        let late = realm.objects(Flight.self).where { $0.departureDelay >= 120 }
        let changes = late.changes(keyPaths: [\.departureDelay])
        let (seen, continuation) = AsyncStream.makeStream(
            of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            defer { continuation.finish() }
            var tally = Tally()
            for try await change in changes {
                note(change, in: &tally)
                continuation.yield(tally.last)
            }
            return tally
        }
        var initial = 0
        for await count in seen {
            initial = count
            break
        }
        return LateFlights(
            task: task,
            late: { realm.objects(Flight.self).where { $0.departureDelay >= 120 }.count },
            initial: initial, counts: seen)
    }

    private static func note(
        _ change: CollectionChange<FrozenResults<Flight>>, in tally: inout Tally
    ) {
        switch change {
        case .initial(let flights):
            tally.initial = flights.count
            tally.last = flights.count
            print("  stream: \(flights.count.grouped) flights are two hours late or more")
        case .update(let flights, let deletions, let insertions, let modifications):
            tally.insertions += insertions.count
            tally.deletions += deletions.count
            tally.modifications += modifications.count
            tally.elements += 1
            tally.last = flights.count
            if tally.elements <= 8 {
                let news = insertions.last.map { flights[$0] }.map { " (\(describe($0)))" } ?? ""
                print(
                    "  stream: +\(insertions.count) new\(news), \(modifications.count) later",
                    "than before, now \(flights.count.grouped)")
            }
        }
    }

    private static func describe(_ flight: Frozen<Flight>) -> String {
        let carrier = flight.airline?.code ?? "?"
        return "\(carrier) \(flight.number) to \(flight.destinationCode), "
            + "\(flight.departureDelay ?? 0) min"
    }

    /// Waits until the stream has shown the newest flights, stops it, and returns whether what it
    /// reported adds up.
    func finish() async throws -> Bool {
        let target = late()
        if target != initial {
            // The count of the newest element is kept until it is asked for.
            for await count in counts where count == target { break }
        }
        task.cancel()
        let tally = try await task.value
        print(
            """
              stream: \(tally.elements.grouped) updates told of \(tally.insertions.grouped) \
            flights that became late
            """)
        return tally.initial + tally.insertions - tally.deletions == tally.last
            && tally.last == target
    }
}
