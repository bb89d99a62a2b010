package import Foundation

/// The files of a data set, read whole. `weather.csv` may be missing, the others may not.
package struct FlightFolder: Sendable {
    package let airlines: CSVFile
    package let airports: CSVFile
    package let planes: CSVFile
    package let weather: CSVFile?
    package let flights: CSVFile

    package init(
        airlines: CSVFile, airports: CSVFile, planes: CSVFile, weather: CSVFile?, flights: CSVFile
    ) {
        self.airlines = airlines
        self.airports = airports
        self.planes = planes
        self.weather = weather
        self.flights = flights
    }

    package init(at folder: URL) throws(CSVError) {
        let hasWeather = CSVFile.exists("weather.csv", in: folder)
        self.init(
            airlines: try CSVFile(name: "airlines.csv", in: folder),
            airports: try CSVFile(name: "airports.csv", in: folder),
            planes: try CSVFile(name: "planes.csv", in: folder),
            weather: hasWeather ? try CSVFile(name: "weather.csv", in: folder) : nil,
            flights: try CSVFile(name: "flights.csv", in: folder))
    }

    /// The size of all files, the measure of progress.
    package var byteCount: Int {
        [airlines, airports, planes, flights].reduce(weather?.bytes.count ?? 0) {
            $0 + $1.bytes.count
        }
    }
}
