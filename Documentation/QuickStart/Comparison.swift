import Flights

/// What the realm holds beside what the files (and the minutes that the tasks wrote) say.
struct Comparison {
    private let found: FlightTotals
    private let expected: FlightTotals
    private let written: [String: Int]

    init(_ found: FlightTotals, _ expected: FlightTotals, written: [String: Int]) {
        self.found = found
        self.expected = expected
        self.written = written
    }

    /// Prints a line per carrier; true when all agree.
    func show() -> Bool {
        print(line("carrier", "flights", "departure delay", "arrival delay", "miles", ""))
        for code in Set(found.carriers.keys).union(expected.carriers.keys).sorted() {
            show(code, found.carriers[code] ?? .init(), expected.carriers[code] ?? .init())
        }
        show("all", found.all, expected.all)
        let minutes = written.values.reduce(0, +)
        print(
            """
            expected: the files, and \(minutes.grouped) minutes that the 64 tasks added to the \
            departure delays
            """)
        return found == expected
    }

    private func show(
        _ code: String, _ found: FlightTotals.Carrier, _ expected: FlightTotals.Carrier
    ) {
        print(numbers(code, found, found == expected ? "equal" : "DIFFERENT, expected:"))
        if found != expected { print(numbers("", expected, "")) }
    }

    private func numbers(_ code: String, _ sums: FlightTotals.Carrier, _ verdict: String) -> String
    {
        line(
            code, sums.flights.grouped, sums.departureDelay.grouped, sums.arrivalDelay.grouped,
            sums.distance.grouped, verdict)
    }

    private func line(
        _ code: String, _ flights: String, _ departure: String, _ arrival: String, _ miles: String,
        _ verdict: String
    ) -> String {
        "  \(code.left(8))\(flights.right(9))\(departure.right(17))\(arrival.right(15))"
            + "\(miles.right(15))  \(verdict)"
    }
}
