package import RealmActors

/// Counts and sums per carrier, for comparing what a realm holds with what the files say.
package struct FlightTotals: Sendable, Equatable {
    /// The flights of one carrier.
    package struct Carrier: Sendable, Equatable {
        package var flights = 0
        package var departureDelay = 0
        package var arrivalDelay = 0
        package var distance = 0

        package init() {}

        package mutating func add(departureDelay: Int?, arrivalDelay: Int?, distance: Int) {
            flights += 1
            self.departureDelay += departureDelay ?? 0
            self.arrivalDelay += arrivalDelay ?? 0
            self.distance += distance
        }

        package mutating func add(_ other: Carrier) {
            flights += other.flights
            departureDelay += other.departureDelay
            arrivalDelay += other.arrivalDelay
            distance += other.distance
        }
    }

    /// By the carrier's code.
    package var carriers: [String: Carrier] = [:]

    /// All carriers together.
    package var all: Carrier {
        carriers.values.reduce(into: Carrier()) { $0.add($1) }
    }

    /// Straight from the file, without a database.
    package init(of file: CSVFile) throws(CSVError) {
        var row = try file.reader()
        let carrier = try row.column("carrier")
        let departureDelay = try row.column("dep_delay")
        let arrivalDelay = try row.column("arr_delay")
        let distance = try row.column("distance")
        while try row.next() {
            let code = try row.text(carrier)
            carriers[code, default: Carrier()].add(
                departureDelay: try row.optionalInteger(departureDelay),
                arrivalDelay: try row.optionalInteger(arrivalDelay),
                distance: try row.integer(distance))
        }
    }

    /// From the objects of a realm, through their links.
    package init(of flights: FrozenResults<Flight>) {
        for flight in flights {
            carriers[flight.airline?.code ?? "?", default: Carrier()].add(
                departureDelay: flight.departureDelay, arrivalDelay: flight.arrivalDelay,
                distance: flight.distance)
        }
    }
}
