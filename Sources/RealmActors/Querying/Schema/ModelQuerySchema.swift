package import Foundation
package import Storage

/// The models of an open realm, for queries.
package struct ModelQuerySchema: QuerySchema {
    let models: ModelMap
    package let store: StoreSchema
    private let reuse: KeyReuse?

    /// The models, and the keys that other rows have where the query reads.
    init(models: ModelMap, store: StoreSchema, reuse: KeyReuse?) {
        self.models = models
        self.store = store
        self.reuse = reuse
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

    package func hasReused(keyOf row: QueryRow) -> Bool {
        guard let reuse, let id = row.classID, let capture = row.capture else { return false }
        return reuse.keys.contains(id, row.key, between: capture, and: reuse.capture)
    }

    // Dynamic objects may be of a class that the realm was opened without.
    private func binding(_ classID: ClassID) -> ModelBinding {
        models.binding(classID) ?? models.dynamicBinding(classID)
    }
}
