public import Foundation
import Storage

extension ObjectWriting {
    /// Creates objects from JSON: an array of objects, or one object.
    ///
    ///     try await realm.write { tx in
    ///         try tx.create(Dog.self, json: data, update: .modified)
    ///     }
    ///
    /// Every value is written directly to its row, without a temporary object or dictionary. Names
    /// are those of the properties, converted by the decoder's strategy; dates and data follow its
    /// strategies too. An absent property gets its default, or keeps its value in an
    /// update; null is nil, or an empty collection. Links and embedded objects are nested objects,
    /// lists and sets arrays, maps objects. A link may also be given by the primary key:
    /// `"country": "CH"`. Decimal numbers keep every digit, and in a value of any type 2 is an
    /// integer and 2.0 a double, unless the decoder allows JSON5.
    ///
    /// The primary key is required. Only a generated one, a UUID or an ObjectId, may be absent, if
    /// objects are not updated.
    ///
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - json: an object or an array of objects.
    ///   - update: what happens to an object that has the primary key of one in the JSON, nested
    ///     ones included.
    ///   - unknownKeys: whether names that the class does not have are an error.
    ///   - links: whether linked objects may be created. With `.existing` and `update: .error`, all
    ///     values of a linked object except its primary key are ignored.
    ///   - decoder: its strategies define the form of names, dates and data.
    /// - Returns: the objects, in the order of the JSON; each is made on access.
    /// - Throws: ``RealmError/invalidValue(_:)``, which names the class, the property, the place in
    ///   the JSON, what is expected there and what was given; as ``add(_:update:)-(Model,_)``.
    ///   What was imported before the object at fault stays unless the write throws too.
    /// - Complexity: linear in the size of the JSON.
    @discardableResult
    public func create<Model: Object>(
        _ type: Model.Type, json: Data, update: UpdatePolicy = .error,
        unknownKeys: UnknownKeys = .ignore, links: ImportedLinks = .create,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(RealmError) -> CreatedObjects<Model> {
        let graph = try liveContext.writableGraph()
        let model = try liveContext.models.required(type)
        if update != .error, model.primaryKey == nil {
            throw .noPrimaryKey(className: model.className)
        }
        let keys = try JSONImport(
            graph, update: update, unknownKeys: unknownKeys, links: links
        ).rows(of: model.classID, in: json, DecimalTexts.decoder(for: json, like: decoder))
        return CreatedObjects(context: liveContext, model: model, keys: keys)
    }
}
