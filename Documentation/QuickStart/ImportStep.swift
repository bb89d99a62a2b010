import Flights
import RealmActors

/// Imports the files in one transaction, with a progress bar, and says how it went.
func importFlights(_ folder: FlightFolder, into realm: Realm, _ summary: inout Summary) async throws
{
    let bar = ProgressBar("importing")
    let clock = ContinuousClock()
    let start = clock.now
    let counts = try await FlightImport(of: folder) { bar.show($0) }.run(in: realm)
    let duration = clock.now - start

    print(
        """
        \(counts.airlines.grouped) airlines, \(counts.airports.grouped) airports, \
        \(counts.planes.grouped) planes, \(counts.flights.grouped) flights
        """)
    if counts.weather > 0 {
        print("\(counts.weather.grouped) hours of weather, joined by airport and hour")
    }
    let rate = Int(Double(counts.total) / duration.seconds)
    summary.add(
        "imported",
        "\(counts.total.grouped) linked objects in one durable transaction",
        "\(duration.readable), \(rate.grouped) objects/s")
}
