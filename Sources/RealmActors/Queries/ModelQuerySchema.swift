package import Foundation
package import Storage

/// The models of an open realm as queries know them.
package struct ModelQuerySchema: QuerySchema {
    let models: ModelMap
    package let store: StoreSchema

    package init(models: ModelMap, store: StoreSchema) {
        self.models = models
        self.store = store
    }

    package var storeID: UUID { models.storeID }

    package func property(_ name: String, of classID: ClassID) -> QueryProperty? {
        guard let property = models.binding(classID)?.property(named: name) else { return nil }
        if let origin = property.origin { return .inverse(origin: origin, property.column) }
        return .column(property.column)
    }
}
