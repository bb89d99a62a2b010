import Flights
import RealmActors

/// Closes the realm and opens it again, as the next start of a program would.
func reopen(_ realm: Realm, at place: RealmPlace, _ summary: inout Summary) async throws -> Realm {
    let clock = ContinuousClock()
    let start = clock.now
    try await realm.close()
    let closed = clock.now
    let reopened = try await place.open()
    let flights = reopened.objects(Flight.self).count
    summary.add(
        "reopened", "\(flights.grouped) flights are there",
        "closed in \((closed - start).readable), opened in \((clock.now - closed).readable)")
    return reopened
}
