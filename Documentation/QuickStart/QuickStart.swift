import Flights
import Foundation
import RealmActors

/// The quick start: real flights, from files to a report, to live changes, to a reopened database.
///
/// Read it from top to bottom: each step is one function, and each of them is in a file of its own
/// next to this one.
@main
struct QuickStart {
    static func main() async {
        do throws(Arguments.Problem) {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp {
                print(Arguments.help)
                return
            }
            exit(await run(arguments))
        } catch {
            complain("\(error)\n\n\(Arguments.help)")
            exit(2)
        }
    }

    /// Runs everything; the result is the process's exit status.
    private static func run(_ arguments: Arguments) async -> Int32 {
        if let hosts = arguments.hosts { return await run(hosts, arguments) }
        let name = arguments.realmFile == nil ? "flights.realm" : "imported.realm"
        var place = RealmPlace(name, in: arguments.path)
        defer { place.cleanUp() }
        do {
            let problems =
                if let file = arguments.realmFile {
                    try await file.run(at: &place)
                } else {
                    try await tour(&place, data: arguments.data)
                }
            return problems == 0 ? 0 : 1
        } catch let error as CSVError {
            complain("The data cannot be imported. Nothing was written.\n  \(error)")
        } catch {
            complain("\(error)")
        }
        place.discard()
        return 1
    }

    /// Runs several hosts, or one of them.
    private static func run(_ hosts: SeveralHosts, _ arguments: Arguments) async -> Int32 {
        do {
            guard let host = arguments.host, let folder = arguments.path else {
                return try await hosts.run() == 0 ? 0 : 1
            }
            try await hosts.runHost(host.number, realm: host.realm, in: folder)
            return 0
        } catch {
            complain("\(error)")
            return 1
        }
    }

    /// The tour; returns how many checks failed.
    private static func tour(_ place: inout RealmPlace, data: URL) async throws -> Int {
        var summary = Summary()
        let folder = try FlightFolder(at: data)
        var realm = try await place.openNew()

        heading("Import")
        try await importFlights(folder, into: realm, &summary)
        let imported = realm.objects(Flight.self)
        var expected = try FlightTotals(of: folder.flights)
        summary.check("every imported flight", FlightTotals(of: imported) == expected)

        heading("Report")
        DelayReport(realm.snapshot()).show()

        heading("64 tasks write delays, a change stream observes them")
        let watch = try await LateFlights.watch(realm)
        let written = try await DelayWriters(flights: imported).run(in: realm, &summary)
        summary.check("the change stream", try await watch.finish())
        for (carrier, minutes) in written {
            expected.carriers[carrier, default: .init()].departureDelay += minutes
        }

        heading("Frozen flights, shared by 8 tasks")
        let shared = await SharedFlights(imported).totals(tasks: 8)
        summary.check("the frozen flights", shared == FlightTotals(of: imported).all)

        heading("Close, reopen, compare with the files")
        realm = try await reopen(realm, at: place, &summary)
        let found = FlightTotals(of: realm.objects(Flight.self))
        summary.check("every count and sum", Comparison(found, expected, written: written).show())
        try await realm.close()

        heading("Summary")
        summary.show(bytesOnDisk: place.bytesOnDisk, keptAt: place.keptPath)
        return summary.failedChecks
    }
}
