import Flights
import Foundation
import RealmActors

/// A report on one snapshot of the flights: whatever is written meanwhile, its numbers agree.
struct DelayReport {
    private let snapshot: Snapshot
    private let flights: FrozenResults<Flight>

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        flights = snapshot.objects(Flight.self)
    }

    func show() {
        showOverview()
        showCarriers()
        showRoutes()
        showHours()
        showWind()
    }

    private func showOverview() {
        let cancelled = flights.where { $0.departure == nil }.count
        let late = flights.where { $0.departureDelay > 60 }.count
        print(
            """
            \(flights.count.grouped) flights, \(cancelled.grouped) of them cancelled, \
            \(late.grouped) more than an hour late.

            """)
    }

    /// One line per airline, the latest first, with its worst flight.
    private func showCarriers() {
        let rows = snapshot.objects(Airline.self)
            .filter { !$0.flights.isEmpty }
            .map { ($0, $0.flights.average(of: \.departureDelay) ?? 0) }
            .sorted { $0.1 > $1.1 }
        let largest = rows.first?.1 ?? 0
        print("Minutes late at departure, by airline (mean, and the worst flight)")
        for (airline, mean) in rows {
            let worst = airline.flights.sorted(by: \.departureDelay, ascending: false).first
            print(
                "  \(airline.name.left(28))", mean.tenths.right(6),
                bar(mean, of: largest, width: 20).left(20), worst.map(describe) ?? "")
        }
        print("")
    }

    private func describe(_ flight: Frozen<Flight>) -> String {
        let hours = Double(flight.departureDelay ?? 0) / 60
        let route = "\(flight.origin?.code ?? "?")-\(flight.destinationCode)"
        let plane = flight.plane.map { " (\($0.manufacturer.capitalized) \($0.model))" } ?? ""
        return "\(hours.tenths.right(5)) h, \(route)\(plane)"
    }

    private func showRoutes() {
        var routes: [String: (flights: Int, miles: Int)] = [:]
        for flight in flights {
            let route = "\(flight.origin?.code ?? "?") - \(flight.destinationCode)"
            routes[route, default: (0, 0)].flights += 1
            routes[route]?.miles = flight.distance
        }
        let busiest = routes.sorted { ($0.value.flights, $1.key) > ($1.value.flights, $0.key) }
            .prefix(8)
        let largest = Double(busiest.first?.value.flights ?? 0)
        print("Busiest routes")
        for (route, count) in busiest {
            let code = route.suffix(3)
            let name = snapshot.object(Airport.self, forPrimaryKey: String(code))?.name ?? ""
            print(
                "  \(route)", count.flights.grouped.right(7), "flights",
                "\(count.miles.grouped) mi".right(8), bar(Double(count.flights), of: largest), name)
        }
        print("")
    }

    /// How delays add up over the day.
    private func showHours() {
        var sums = [Int: (minutes: Int, flights: Int)]()
        let hours = flights.values(of: \.scheduledDeparture)
        let delays = flights.values(of: \.departureDelay)
        for (time, delay) in zip(hours, delays) {
            guard let delay else { continue }
            sums[time / 100, default: (0, 0)].minutes += delay
            sums[time / 100, default: (0, 0)].flights += 1
        }
        let means = sums.mapValues { Double($0.minutes) / Double($0.flights) }
        let largest = means.values.max() ?? 0
        print("Mean delay by scheduled hour: mornings are kinder")
        for (hour, mean) in means.sorted(by: { $0.key < $1.key }) {
            print("  \("\(hour):00".right(5))", mean.tenths.right(5), bar(mean, of: largest))
        }
    }

    /// Only with weather: what the wind does to delays.
    private func showWind() {
        guard !snapshot.objects(Weather.self).isEmpty else { return }
        print("\nMean delay by wind speed at departure")
        for wind in stride(from: 0.0, to: 40.0, by: 10.0) {
            let blown = flights.where {
                $0.weather.windSpeed >= wind && $0.weather.windSpeed < wind + 10
            }
            let mean = blown.average(of: \.departureDelay) ?? 0
            print(
                "  \(Int(wind).grouped.right(2))-\(Int(wind + 10)) mph",
                blown.count.grouped.right(8), "flights", mean.tenths.right(6), bar(mean, of: 32))
        }
    }
}
