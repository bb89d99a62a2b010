import Foundation
import RealmActors

/// Where each property of an hour of weather stands in `weather.csv`.
struct WeatherColumns {
    let station, hour: CSVColumn
    private let temperature, dewPoint, humidity, windDirection, windSpeed, windGust: CSVColumn
    private let precipitation, pressure, visibility: CSVColumn

    init(_ row: CSVReader) throws(CSVError) {
        station = try row.column("origin")
        hour = try row.column("time_hour")
        temperature = try row.column("temp")
        dewPoint = try row.column("dewp")
        humidity = try row.column("humid")
        windDirection = try row.column("wind_dir")
        windSpeed = try row.column("wind_speed")
        windGust = try row.column("wind_gust")
        precipitation = try row.column("precip")
        pressure = try row.column("pressure")
        visibility = try row.column("visib")
    }

    /// Sets everything that is not a link.
    func read(_ row: CSVReader, into weather: Weather) throws(CSVError) {
        weather.temperature = try row.optionalDouble(temperature)
        weather.dewPoint = try row.optionalDouble(dewPoint)
        weather.humidity = try row.optionalDouble(humidity)
        weather.windDirection = try row.optionalInteger(windDirection)
        weather.windSpeed = try row.optionalDouble(windSpeed)
        weather.windGust = try row.optionalDouble(windGust)
        weather.precipitation = try row.optionalDouble(precipitation)
        weather.pressure = try row.optionalDouble(pressure)
        weather.visibility = try row.optionalDouble(visibility)
    }
}

extension Date {
    /// Whole seconds since 1970.
    var wholeSeconds: Int { Int(timeIntervalSince1970) }
}
