public import Foundation
import Storage

extension ObjectWriting {
    /// Creates objects of the class with this name from JSON, an array of objects or one object, as
    /// `create(_:json:)` does for models. The class may be one that the realm was opened without.
    ///
    ///     try await realm.write { tx in
    ///         try tx.dynamicCreate("Dog", json: data, update: .modified)
    ///     }
    ///
    /// A property that is absent from a new object has the default of the Swift class if there is
    /// one, else the zero of its type. Without a Swift class the primary key is always required,
    /// since the store does not know that it is generated.
    ///
    /// - Returns: the objects, in the order of the JSON; each is made on access.
    /// - Throws: as the method for models; ``RealmError/invalidObject(_:)`` when the store has no
    ///   such class, or an embedded one, whose objects are created in their parent only.
    /// - Complexity: linear in the size of the JSON.
    @discardableResult
    public func dynamicCreate(
        _ className: String, json: Data, update: UpdatePolicy = .error,
        unknownKeys: UnknownKeys = .ignore, links: ImportedLinks = .create,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(RealmError) -> CreatedObjects<DynamicObject> {
        let (graph, model) = try dynamicCreation(className, update)
        let keys = try JSONImport(
            graph, update: update, unknownKeys: unknownKeys, links: links
        ).rows(of: model.classID, in: json, DecimalTexts.decoder(for: json, like: decoder))
        return CreatedObjects(context: liveContext, model: model, keys: keys)
    }

    /// Creates objects as ``dynamicCreate(_:json:update:unknownKeys:links:decoder:)`` does, from
    /// JSON that names objects without a primary key by numbers.
    ///
    /// - Parameters:
    ///   - className: the name of the class in the store.
    ///   - json: an object, or an array of objects.
    ///   - rows: the numbered objects of this import and of earlier ones.
    ///   - update: what happens to objects that have the primary key of an existing one. Applies to
    ///     linked objects too, so also if the class itself has no primary key.
    ///   - unknownKeys: whether names that the class does not have are an error.
    ///   - links: whether linked objects may be created.
    ///   - decoder: its strategies define the form of names, dates and data.
    /// - Throws: as that method; ``RealmError/invalidValue(_:)`` also when two objects that are
    ///   imported, not only linked to, have one number.
    @discardableResult
    public func dynamicCreate(
        _ className: String, json: Data, rows: inout ImportedRows, update: UpdatePolicy = .error,
        unknownKeys: UnknownKeys = .ignore, links: ImportedLinks = .create,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(RealmError) -> CreatedObjects<DynamicObject> {
        let (graph, model) = try dynamicCreation(className, .error)
        let target = JSONImport(
            graph, update: update, unknownKeys: unknownKeys, links: links, numbered: rows)
        // Leaves the import with the only reference, so that it changes the value in place.
        rows = ImportedRows()
        defer { if let numbered = target.numbered { rows = numbered } }
        let keys = try target.rows(
            of: model.classID, in: json, DecimalTexts.decoder(for: json, like: decoder))
        return CreatedObjects(context: liveContext, model: model, keys: keys)
    }
}
