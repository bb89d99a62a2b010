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
    /// What is absent from a new object has the default of the Swift class if there is one, else
    /// the zero of its type. An object of a class without a Swift class has to give its primary key
    /// always, since nothing says that it is generated.
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
    ///   - className: the class of the objects.
    ///   - json: an object, or an array of objects.
    ///   - rows: the objects that have numbers, of imports before this one as well.
    ///   - update: what becomes of objects that have the same primary key as an existing one. The
    ///     class itself need not have one: what it links to may.
    ///   - unknownKeys: what becomes of keys that are no property.
    ///   - links: what becomes of objects that are linked to.
    ///   - decoder: how dates, data and such are written.
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
        // The import has the only copy, which need not be copied then to be changed.
        rows = ImportedRows()
        defer { if let numbered = target.numbered { rows = numbered } }
        let keys = try target.rows(
            of: model.classID, in: json, DecimalTexts.decoder(for: json, like: decoder))
        return CreatedObjects(context: liveContext, model: model, keys: keys)
    }
}
