import Foundation
import RealmActors

final class Tally: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: Int
}

final class Mark: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var weight: Int
}
