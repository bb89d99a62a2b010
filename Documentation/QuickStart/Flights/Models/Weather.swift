package import Foundation
package import RealmActors

/// The weather at one airport in one hour.
package final class Weather: Object {
    @Persisted package var station: Airport?
    @Persisted package var hour: Date
    /// Degrees Fahrenheit.
    @Persisted package var temperature: Double?
    @Persisted package var dewPoint: Double?
    @Persisted package var humidity: Double?
    @Persisted package var windDirection: Int?
    /// Miles per hour.
    @Persisted package var windSpeed: Double?
    @Persisted package var windGust: Double?
    /// Inches.
    @Persisted package var precipitation: Double?
    @Persisted package var pressure: Double?
    /// Miles.
    @Persisted package var visibility: Double?
    @Persisted(originProperty: "weather") package var flights: LinkingObjects<Flight>
}
