import Flights
import RealmActors

/// Frozen flights are Sendable values: any number of tasks read them at the same time, without
/// locks and without waiting, and they never change.
struct SharedFlights {
    private let flights: FrozenResults<Flight>

    init(_ flights: FrozenResults<Flight>) { self.flights = flights }

    /// Adds the flights up, each task a slice of them.
    func totals(tasks: Int) async -> FlightTotals.Carrier {
        let flights = flights
        let clock = ContinuousClock()
        let start = clock.now
        let sums = await withTaskGroup(of: FlightTotals.Carrier.self) { group in
            for task in 0..<tasks {
                let slice = flights.count * task / tasks..<flights.count * (task + 1) / tasks
                group.addTask {
                    flights[slice].reduce(into: FlightTotals.Carrier()) { sum, flight in
                        sum.add(
                            departureDelay: flight.departureDelay,
                            arrivalDelay: flight.arrivalDelay, distance: flight.distance)
                    }
                }
            }
            return await group.reduce(into: FlightTotals.Carrier()) { $0.add($1) }
        }
        print(
            """
            \(tasks) tasks read \(sums.flights.grouped) flights in \
            \((clock.now - start).readable): \(sums.distance.grouped) miles flown, as of before the
            64 tasks wrote: a frozen flight keeps its values.
            """)
        return sums
    }
}
