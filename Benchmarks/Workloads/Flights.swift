import Flights
import Foundation
import RealmActors

let flightWorkloads: [Workload<Bench>] = [
    Workload("w16_flights") { bench in
        guard CSVFile.exists("flights.csv", in: bench.flights) else {
            let path = bench.flights.path
            return [.unsupported("w16_flights", "skipped: no flights.csv in \(path)")]
        }
        let path = bench.folder.appendingPathComponent("flights-\(UUID().uuidString).realm").path
        let configuration = Realm.Configuration(path: path, objectTypes: FlightModel.objectTypes)
        var realm = try await Realm.open(configuration)
        let clock = ContinuousClock()
        let start = clock.now
        let folder = try FlightFolder(at: bench.flights)
        let counts = try await FlightImport(of: folder).run(in: realm)
        let seconds = (clock.now - start).inSeconds
        try await realm.close()
        realm = try await Realm.open(configuration)
        let found = FlightTotals(of: realm.objects(Flight.self))
        let expected = try FlightTotals(of: folder.flights)
        try await realm.close()
        try FileManager.default.removeItem(atPath: path)
        let check =
            found == expected
            ? Check.note("\(found.all.flights) flights, \(found.all.distance) miles")
            : Check(text: "WRONG: \(found.all), expected \(expected.all)", isRight: false)
        return [
            Measurement("w16_flights", Double(counts.flights) / seconds, "rows/s", check: check)
        ]
    }
]
