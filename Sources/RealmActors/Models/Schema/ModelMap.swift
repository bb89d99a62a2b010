package import Foundation
package import Storage
import Synchronization

/// All models of an open realm.
package final class ModelMap: Sendable {
    /// The store to which the models are bound.
    package let storeID: UUID
    /// The history of the store's versions.
    let history: HistoryIdentity
    package let bindings: [ModelBinding]
    // Unsafe: created with the map, never changed, and freed with it. Looking up a type in an array
    // of references would retain them, and all cores would contend for the counts.
    private nonisolated(unsafe) let types: UnsafeMutableBufferPointer<TypeEntry>
    /// For maps with many classes.
    private let byType: [ObjectIdentifier: ModelBinding]
    private static let comparedMax = 16
    private let byClass: [ModelBinding?]
    /// The schema of the store when it was opened; another process may have added to it.
    let storeSchema: StoreSchema
    /// Whether the objects are those of a migration, which may change primary keys.
    let isMigrating: Bool
    /// The bindings of dynamic objects that were requested.
    private let dynamic = Mutex<[ClassID: ModelBinding]>([:])

    /// No models, of no store.
    static let none = ModelMap(storeID: UUID(), models: [], schema: StoreSchema())

    /// A class and its binding, which is valid as long as ``bindings``.
    private struct TypeEntry {
        let type: ObjectIdentifier
        // Unowned: the map retains the binding as long as it has this entry.
        let binding: Unmanaged<ModelBinding>
    }

    /// Binds discovered models to the schema of an open store.
    package init(
        storeID: UUID, history: HistoryIdentity? = nil, models: [DiscoveredModel],
        schema: StoreSchema, isMigrating: Bool = false
    ) {
        self.storeID = storeID
        self.history = history ?? HistoryIdentity(of: storeID)
        self.isMigrating = isMigrating
        bindings = models.map { model in
            guard let id = schema.classID(named: model.name) else {
                preconditionFailure("The merged schema lacks class '\(model.name)'.")
            }
            return ModelBinding(model, classID: id, schema: schema)
        }
        storeSchema = schema
        let looksUp = bindings.count > Self.comparedMax
        byType = Dictionary(
            uniqueKeysWithValues: (looksUp ? bindings : []).map { (ObjectIdentifier($0.type), $0) })
        types = .allocate(capacity: bindings.count)
        _ = types.initialize(
            from: bindings.lazy.map {
                TypeEntry(type: ObjectIdentifier($0.type), binding: .passUnretained($0))
            })
        var byClass = [ModelBinding?](repeating: nil, count: schema.classes.count)
        for binding in bindings { byClass[binding.classID.rawValue] = binding }
        self.byClass = byClass
    }

    deinit { types.deallocate() }

    /// The model of a class; nil when the realm was opened without it.
    package func binding(for type: ObjectBase.Type) -> ModelBinding? {
        borrowedBinding(for: type)?.takeUnretainedValue()
    }

    /// The same without a retain: valid while the map exists.
    func borrowedBinding(for type: ObjectBase.Type) -> Unmanaged<ModelBinding>? {
        let type = ObjectIdentifier(type)
        // Comparing a few words is faster than hashing one.
        guard types.count <= Self.comparedMax else {
            return byType[type].map { .passUnretained($0) }
        }
        for entry in types where entry.type == type { return entry.binding }
        return nil
    }

    /// The model of a stored class; nil when the realm was opened without it.
    package func binding(_ id: ClassID) -> ModelBinding? {
        id.rawValue < byClass.count ? byClass[id.rawValue] : nil
    }

    /// The binding of dynamic objects of a stored class.
    package func dynamicBinding(_ id: ClassID) -> ModelBinding {
        if let known = dynamic.withLock({ $0[id] }) { return known }
        let model = DynamicModel.make(
            id, in: storeSchema, typed: binding(id), hasFixedKey: !isMigrating)
        let made = ModelBinding(model, classID: id, schema: storeSchema)
        return dynamic.withLock { bindings in
            if let first = bindings[id] { return first }
            bindings[id] = made
            return made
        }
    }

    /// The same for a class by its name.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the store has no such class.
    package func dynamicBinding(named name: String) throws(RealmError) -> ModelBinding {
        guard let id = storeSchema.classID(named: name) else {
            let names = storeSchema.classes.filter { !$0.isRemoved }.map(\.name).sorted()
                .joined(separator: ", ")
            throw .invalidObject("The realm has no class '\(name)'. It has: \(names).")
        }
        return dynamicBinding(id)
    }

    /// Whether both are the models of one store: keys of rows mean something only within it.
    func isOfSameStore(as other: ModelMap) -> Bool { storeID == other.storeID }

    /// The binding for the row of a reference; nil for a reference of another store or class.
    func binding<Model: ObjectBase>(of reference: ObjectReference<Model>) -> ModelBinding? {
        guard reference.storeID == storeID else { return nil }
        if Model.self == DynamicObject.self {
            // A reference may have been decoded from arbitrary input.
            return byClass.indices.contains(reference.classID.rawValue)
                ? dynamicBinding(reference.classID) : nil
        }
        if Model.self == Object.self {
            // A reference to an object in a value of any type. For an embedded class only a dynamic
            // object is an `Object`.
            return linkedBinding(reference.classID).map {
                $0.isEmbedded ? dynamicBinding($0.classID) : $0
            }
        }
        return binding(for: Model.self).flatMap {
            $0.classID == reference.classID ? $0 : nil
        }
    }

    /// The binding of another class for accessors of the same kind as `owner`'s, typed or dynamic.
    func binding(_ id: ClassID, like owner: ModelBinding) -> ModelBinding? {
        owner.isDynamic ? dynamicBinding(id) : binding(id)
    }

    /// The binding for a row that a value of any type links to: dynamic if the realm was opened
    /// without its class. Nil for a class that another process has added since.
    func linkedBinding(_ id: ClassID, like owner: ModelBinding? = nil) -> ModelBinding? {
        guard byClass.indices.contains(id.rawValue) else { return nil }
        if owner?.isDynamic != true, let typed = byClass[id.rawValue] { return typed }
        return dynamicBinding(id)
    }

    /// The model of a class of the program.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the realm was opened without it.
    package func required(_ type: ObjectBase.Type) throws(RealmError) -> ModelBinding {
        if let binding = binding(for: type) { return binding }
        throw .notListed(type)
    }
}

extension ObjectBase {
    /// Whether the object is managed, and by the store whose models these are.
    final func _isInStore(of models: ModelMap) -> Bool {
        __context?.models.isOfSameStore(as: models) ?? false
    }
}
