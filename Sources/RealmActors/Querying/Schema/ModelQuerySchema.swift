package import Foundation
package import Storage

/// The models of an open realm, for queries.
package struct ModelQuerySchema: QuerySchema {
    let models: ModelMap
    package let store: StoreSchema

    package init(models: ModelMap, store: StoreSchema) {
        self.models = models
        self.store = store
    }

    package var storeID: UUID { models.storeID }

    package func property(_ name: String, of classID: ClassID) -> QueryProperty? {
        binding(classID).queryProperty(named: name)
    }

    package func name(of column: ColumnID, in classID: ClassID) -> String? {
        binding(classID).properties.first {
            $0.shape.role == .stored && $0.column == column
        }?.name
    }

    // Dynamic objects may be of a class that the realm was opened without.
    private func binding(_ classID: ClassID) -> ModelBinding {
        models.binding(classID) ?? models.dynamicBinding(classID)
    }
}
