import Storage

/// A class without objects, for results of a class that the realm was opened without, or of a
/// refused query. Functions that can throw, throw the error.
///
/// Its results are on a context of their own, whose only class has no property and no row.
struct AbsentClass {
    let models: ModelMap
    let error: RealmError
    /// A version without any object.
    let root: SnapshotRoot

    init(_ type: ObjectBase.Type, in models: ModelMap) {
        self.init(named: "\(type)", in: models, .notListed(type))
    }

    init(named name: String, in models: ModelMap, _ error: RealmError) {
        let schema = StoreSchema(classes: [
            ClassSchema(name: name, isEmbedded: false, columns: [], primaryKey: nil)
        ])
        let model = DiscoveredModel(dynamic: name, [], isEmbedded: false)
        self.models = ModelMap(storeID: models.storeID, models: [model], schema: schema)
        self.error = error
        root = WorkingTree(schema: schema, account: NodeAccount()).capture(version: .zero)
    }

    var model: ModelBinding { models.bindings[0] }
}

extension RealmError {
    /// A class that the realm was opened without.
    static func notListed(_ type: ObjectBase.Type) -> RealmError {
        .invalidObject(
            "Class '\(type)' is not in the realm's objectTypes. Open the realm with \(type).self.")
    }
}
