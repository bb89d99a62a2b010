import Foundation
import RealmActors
import StorageHarness

/// A place as Realm has it, with an index.
final class IndexedPlace: EmbeddedObject, IndexedModel {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>

    static var indexes: [Index<IndexedPlace>] { [.places] }
}

/// A place of two properties, with an index.
final class IndexedDegrees: EmbeddedObject, IndexedModel {
    @Persisted var latitude: Double?
    @Persisted var longitude: Double

    static var indexes: [Index<IndexedDegrees>] { [.places] }
}

/// A place without an index.
final class PlainPlace: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

/// An object with one place, said thrice.
final class GeoSpot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var category: Int
    @Persisted var indexed: IndexedPlace?
    @Persisted var degrees: IndexedDegrees?
    @Persisted var plain: PlainPlace?

    static let classes: [ObjectBase.Type] = [
        GeoSpot.self, IndexedPlace.self, IndexedDegrees.self, PlainPlace.self,
    ]

    /// What the place is now, which may be none.
    var point: GeoPoint? {
        guard let plain, plain.type == "Point", plain.coordinates.count >= 2 else { return nil }
        return GeoPoint(latitude: plain.coordinates[1], longitude: plain.coordinates[0])
    }

    /// Moves to a place, which may be no point of the earth.
    func move(to place: (latitude: Double, longitude: Double)?) {
        guard let place else {
            (indexed, degrees, plain) = (nil, nil, nil)
            return
        }
        if indexed == nil {
            (indexed, degrees, plain) = (IndexedPlace(), IndexedDegrees(), PlainPlace())
        }
        let coordinates = [place.longitude, place.latitude]
        indexed?.coordinates.removeAll()
        indexed?.coordinates.append(objectsIn: coordinates)
        plain?.coordinates.removeAll()
        plain?.coordinates.append(objectsIn: coordinates)
        degrees?.latitude = place.latitude
        degrees?.longitude = place.longitude
    }
}

/// An object whose place is one of a class that others have as well.
final class GeoFerry: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var place: IndexedPlace?
}

/// Random places, often where they are hard: at poles, the date line, in one spot, or nowhere.
struct RandomPlaces {
    var random: SeededGenerator

    mutating func degrees(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &random)
    }

    mutating func place() -> (latitude: Double, longitude: Double)? {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return nil
        case 1: return (90, degrees(-180...180))
        case 2: return (-90, degrees(-180...180))
        case 3: return (degrees(-1...1), Bool.random(using: &random) ? 180 : -180)
        case 4: return (degrees(84...90), degrees(-180...180))
        case 5: return (47, 8)
        case 6: return (Double(Int.random(in: 46...48, using: &random)), 8.5)
        case 7: return (degrees(80...120), degrees(170...200))
        case 8: return (.nan, 8)
        case 9: return (degrees(46...48), degrees(7...10))
        case 10: return (degrees(-5...5), degrees(-180 ... -175))
        default: return (degrees(-90...90), degrees(-180...180))
        }
    }

    mutating func point() -> GeoPoint {
        while true {
            if let place = place(),
                let point = GeoPoint(latitude: place.latitude, longitude: place.longitude)
            {
                return point
            }
        }
    }

    mutating func circle() -> GeoCircle {
        let radius = pow(10, degrees(-7...0.6))
        let center = point()
        return GeoCircle(
            center: center, radius: .radians(Bool.random(using: &random) ? radius : 0)
        )
        .unsafelyUnwrapped
    }

    mutating func box() -> GeoBox {
        let (a, b) = (point(), point())
        let (south, north) = (min(a.latitude, b.latitude), max(a.latitude, b.latitude))
        return GeoBox(
            bottomLeft: GeoPoint(latitude: south, longitude: a.longitude).unsafelyUnwrapped,
            topRight: GeoPoint(latitude: north, longitude: b.longitude).unsafelyUnwrapped)
    }

    mutating func polygon() -> GeoPolygon {
        while true {
            let near = Bool.random(using: &random)
            let center = point()
            var ring = (0..<Int.random(in: 3...7, using: &random)).map { _ in
                guard near else { return point() }
                return GeoPoint(
                    latitude: min(90, max(-90, center.latitude + degrees(-3...3))),
                    longitude: min(180, max(-180, center.longitude + degrees(-3...3)))
                )
                .unsafelyUnwrapped
            }
            ring.append(ring[0])
            if let polygon = GeoPolygon(outerRing: ring) { return polygon }
        }
    }
}
