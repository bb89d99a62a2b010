import Foundation
import RealmActors
import Storage

/// A schema whose property names are its column names: queries without models.
struct RowQuerySchema: QuerySchema {
    var storeID = UUID()
    let store: StoreSchema

    func property(_ name: String, of classID: ClassID) -> QueryProperty? {
        if name == "people", classID.rawValue == 1 {
            return .inverse(origin: ClassID(0), store[ClassID(0)].column(named: "dogs")!)
        }
        return store[classID].column(named: name).map { .column($0) }
    }
}
