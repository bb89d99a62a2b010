package import RealmActors

/// Imports a folder of flights as linked objects, in one transaction: whatever goes wrong, nothing
/// half-imported stays.
package struct FlightImport {
    /// How many rows of each file became objects.
    package struct Counts: Sendable, Equatable {
        package internal(set) var airlines = 0
        package internal(set) var airports = 0
        package internal(set) var planes = 0
        package internal(set) var weather = 0
        package internal(set) var flights = 0

        package var total: Int { airlines + airports + planes + weather + flights }
    }

    /// Called from time to time while the import runs, with the share that is done, 0 to 1.
    package typealias Progress = @Sendable (Double) -> Void

    package let folder: FlightFolder
    package let progress: Progress

    package init(of folder: FlightFolder, progress: @escaping Progress = { _ in }) {
        self.folder = folder
        self.progress = progress
    }

    /// Runs the import; when it returns, every row is linked and durable.
    ///
    /// - Throws: `CSVError` for a malformed file, `RealmError` when the realm refuses.
    package func run(in realm: Realm) async throws -> Counts {
        let (folder, progress) = (folder, progress)
        return try await realm.write { tx in
            var rows = FlightRows(tx: tx, byteCount: folder.byteCount, progress: progress)
            try rows.importAirlines(folder.airlines)
            try rows.importAirports(folder.airports)
            try rows.importPlanes(folder.planes)
            if let weather = folder.weather { try rows.importWeather(weather) }
            try rows.importFlights(folder.flights)
            progress(1)
            return rows.counts
        }
    }
}
