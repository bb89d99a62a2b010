package import Foundation
package import RealmActors

/// One flight that left, or should have left, New York. Times of day are written as `517` for
/// 5:17, delays are minutes; what a cancelled flight never had is nil.
package final class Flight: Object {
    @Persisted package var year: Int
    @Persisted package var month: Int
    @Persisted package var day: Int
    /// The scheduled hour of departure, in universal time.
    @Persisted package var hour: Date
    @Persisted package var number: Int
    @Persisted package var airline: Airline?
    @Persisted package var origin: Airport?
    @Persisted package var destination: Airport?
    /// The destination as the file has it: a few airports are in no list.
    @Persisted package var destinationCode: String
    @Persisted package var plane: Plane?
    @Persisted package var tailNumber: String?
    @Persisted package var weather: Weather?
    @Persisted package var scheduledDeparture: Int
    @Persisted package var departure: Int?
    @Persisted package var departureDelay: Int?
    @Persisted package var scheduledArrival: Int
    @Persisted package var arrival: Int?
    @Persisted package var arrivalDelay: Int?
    /// Minutes in the air.
    @Persisted package var airTime: Int?
    /// Miles.
    @Persisted package var distance: Int
}
