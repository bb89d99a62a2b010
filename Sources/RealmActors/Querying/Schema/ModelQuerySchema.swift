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
        // Dynamic objects may be of a class that the realm was opened without.
        (models.binding(classID) ?? models.dynamicBinding(classID)).queryProperty(named: name)
    }
}
