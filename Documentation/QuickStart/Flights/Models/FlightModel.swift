package import RealmActors

/// What a realm of flights is made of.
package enum FlightModel {
    /// The classes, for `Realm.Configuration`.
    package static var objectTypes: [ObjectBase.Type] {
        [Airline.self, Airport.self, Plane.self, Weather.self, Flight.self]
    }
}
