import Foundation
import Storage

/// Imports the objects of a JSON document directly into rows: a decoder walks the JSON, and every
/// value is written to its column, without a dictionary or an unmanaged object in between.
///
/// A row is created with its scalars first and its links after that, so that cycles by primary key
/// terminate.
final class JSONImport {
    let context: LiveContext
    let tree: WorkingTree
    let update: UpdatePolicy
    private let unknownKeys: UnknownKeys
    let links: ImportedLinks
    /// The objects that the JSON names by numbers; nil where it names none.
    var numbered: ImportedRows?
    /// Converts values whose type JSON does not say.
    let conversion: ValueConversion
    private let graph: ObjectGraph
    private var plans: [ClassID: ImportPlan] = [:]
    /// The column of the link or collection that is being written.
    private var place: ImportPlace?

    init(
        _ graph: ObjectGraph, update: UpdatePolicy, unknownKeys: UnknownKeys, links: ImportedLinks,
        numbered: ImportedRows? = nil
    ) {
        self.graph = graph
        self.update = update
        self.unknownKeys = unknownKeys
        self.links = links
        self.numbered = numbered
        context = graph.liveContext
        tree = graph.tree
        conversion = .managed(graph, update)
    }

    /// Imports an array of objects, or one object.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)``,
    ///   ``RealmError/duplicatePrimaryKey(className:key:)``.
    func rows(
        of classID: ClassID, in json: Data, _ decoder: JSONDecoder
    ) throws(RealmError) -> [RowKey] {
        let plan = plan(for: classID)
        let earlier = Dictionary(
            uniqueKeysWithValues: createdEmbedded().map { ($0.id, tree.rows($0.id).nextKey) })
        do {
            return try decoder.decode(
                RowDecoding.self, from: json, configuration: (self, plan)
            ).keys
        } catch {
            deleteOrphans(behind: earlier)
            if let error = error as? RealmError { throw error }
            throw .invalidValue(
                "The JSON is neither a '\(plan.model.className)' nor an array of them: "
                    + ImportMessage.text(error))
        }
    }

    /// The embedded classes with rows that the transaction has created, and the first key of these.
    private func createdEmbedded() -> [(id: ClassID, first: RowKey)] {
        tree.writtenRows.created.filter { tree.schema[$0.id].isEmbedded }
    }

    /// Deletes embedded objects that were created for a property whose import failed. A program may
    /// catch the error and continue: they would stay without an owner.
    ///
    /// - Parameter earlier: the next free key of each class before this import. A transaction may
    ///   have many imports, and each examines only its own rows.
    private func deleteOrphans(behind earlier: [ClassID: RowKey]) {
        for (id, first) in createdEmbedded() {
            var orphans: [RowKey] = []
            tree.forEachCluster(id, from: earlier[id] ?? first) { keys in
                orphans += keys.filter { !graph.hasParent(id, $0) }
            }
            if !orphans.isEmpty { tree.delete(id, orphans) }
        }
    }

    /// Imports a linked object: a new row, or an update if its primary key exists.
    func object(
        _ source: KeyedDecodingContainer<NameKey>, _ classID: ClassID
    ) throws -> RowKey {
        let plan = plan(for: classID)
        guard links == .existing, !plan.model.isEmbedded else { return try object(source, plan) }
        let row = try existing(source, plan)
        try requireKnownNames(source, plan)
        if update != .error { try complete(row, plan, source) }
        return row
    }

    /// The row of an object; throws if it does not exist.
    private func existing(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan
    ) throws -> RowKey {
        guard let primary = plan.primaryKey else {
            if let number = try number(source, plan) { return try existing(number, plan) }
            throw RealmError.invalidValue(
                "'\(plan.model.className)' has no primary key, so that JSON names no object that "
                    + "exists. Import it with links: .create.")
        }
        let value = try key(source, primary, plan)
        guard let row = tree.find(plan.model.classID, primaryKey: value) else {
            throw missing(plan, ImportMessage.text(value))
        }
        return row
    }

    /// The object that a key of the JSON has, as an object or by its primary key.
    func object(
        _ source: KeyedDecodingContainer<NameKey>, _ key: NameKey, _ classID: ClassID
    ) throws -> RowKey {
        let values: KeyedDecodingContainer<NameKey>
        do {
            values = try source.nestedContainer(keyedBy: NameKey.self, forKey: key)
        } catch {
            let row = try object(
                withKey: { try source.decode(AnyJSON.self, forKey: key) }, classID)
            guard let row else { throw error }
            return row
        }
        return try object(values, classID)
    }

    /// The object that JSON gives by its primary key or number only, created if `links` allows it.
    /// Nil when the class has no such key.
    func object(
        withKey given: () throws -> AnyJSON, _ classID: ClassID
    ) throws -> RowKey? {
        let plan = plan(for: classID)
        guard let primary = plan.primaryKey, let declared = plan.model.model.primaryKey else {
            return try object(withNumber: given, plan)
        }
        let json = try given().value
        let key = try? conversion.key(
            json, declared, plan.model.model, integers: primary.property.schema.integers)
        guard let value = key?.value else { return nil }
        if let row = tree.find(plan.model.classID, primaryKey: value) { return row }
        if links == .existing { throw missing(plan, ImportMessage.text(value)) }
        return try made(plan.model, [primary.property.name: json])
    }

    func made(
        _ model: ModelBinding, _ values: [String: Any]
    ) throws(RealmError) -> RowKey {
        if model.isDynamic {
            return try graph.createDynamic(model, values, conversion, .error).__key
        }
        return try made(model.type, values)
    }

    private func made<Model: ObjectBase>(
        _ type: Model.Type, _ values: [String: Any]
    ) throws(RealmError) -> RowKey {
        try graph.create(type, values, conversion, .error).__key
    }

    private func missing(_ plan: ImportPlan, _ key: String) -> RealmError {
        .invalidValue(
            "There is no '\(plan.model.className)' with primary key \(key) to link to. Import it "
                + "first, or import with links: .create.")
    }

    /// Throws for names that the class does not have, unless the options ignore them.
    private func requireKnownNames(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan
    ) throws(RealmError) {
        guard unknownKeys == .refuse else { return }
        let unknown = source.allKeys.map(\.stringValue).filter {
            !plan.names.contains($0) && !($0 == ImportedRows.field && hasNumbers(plan))
        }
        if unknown.isEmpty { return }
        throw .invalidValue(
            "\(ImportMessage.name(of: plan, source)) has no property "
                + unknown.sorted().map { "'\($0)'" }.joined(separator: ", ")
                + ". It has \(plan.fields.map(\.property.name).joined(separator: ", ")).")
    }

    /// Imports an object by the plan of its class.
    func object(_ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan) throws -> RowKey {
        try requireKnownNames(source, plan)
        guard let primary = plan.primaryKey else { return try unnamed(source, plan) }
        let value = try key(source, primary, plan)
        guard let existing = tree.find(plan.model.classID, primaryKey: value) else {
            return try insert(source, plan, value)
        }
        guard update != .error else {
            throw RealmError.duplicatePrimaryKey(
                className: plan.model.className, key: ImportMessage.text(value))
        }
        try change(existing, plan, source)
        return existing
    }

    /// Updates a row: absent properties keep their values.
    func change(
        _ row: RowKey, _ classID: ClassID, _ source: KeyedDecodingContainer<NameKey>
    ) throws {
        let plan = plan(for: classID)
        try requireKnownNames(source, plan)
        try change(row, plan, source)
    }

    /// The stored form of a value of any type.
    func stored(_ json: AnyJSON) throws(RealmError) -> StoredValue {
        try stored(AnyRealmValue._convert(json.value, conversion))
    }

    /// The stored form of an element; adds the objects that it consists of.
    func stored<Element: CollectionElement>(
        _ element: Element
    ) throws(RealmError) -> StoredValue {
        let owner = place.map { $0.updated ?? $0.model.makeAccessor(live: context, $0.key) }
        let target = GraphTarget(
            graph: graph, owner: owner ?? ObjectBase(), column: place?.column.rawValue ?? 0,
            changes: .everything)
        return try Element._stored(element, target).value
    }

    /// The plan of the Swift class if the program declares one, for its defaults and types.
    private func plan(for classID: ClassID) -> ImportPlan {
        if let plan = plans[classID] { return plan }
        let models = context.models
        let plan = ImportPlan(models.binding(classID) ?? models.dynamicBinding(classID))
        plans[classID] = plan
        return plan
    }

    /// The primary key in the JSON; a generated one may be absent from a new object.
    private func key(
        _ source: KeyedDecodingContainer<NameKey>, _ field: ImportField, _ plan: ImportPlan
    ) throws -> StoredValue {
        guard source.contains(field.key), let importer = field.value else {
            let kind = field.property.schema.kind
            guard update == .error, !plan.model.isDynamic, kind == .uuid || kind == .objectID
            else {
                throw RealmError.invalidValue(
                    "\(ImportMessage.name(of: plan, source)) lacks its primary key "
                        + "'\(field.property.name)'.")
            }
            return field.property.type
                ._defaultStorable(plan.defaults(), at: field.property.place).value
        }
        do {
            return try importer.stored(source, field.key)
        } catch {
            throw ImportMessage.error(error, field, plan, source)
        }
    }

    func insert(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan, _ primaryKey: StoredValue?,
        _ number: Int64? = nil
    ) throws -> RowKey {
        let key = try tree.addRow(plan.model.classID)
        // Before the links are imported, which may lead back to it.
        if let number { numbered?.note(key, plan.model.className, number) }
        do {
            try fill(key, source, plan, primaryKey)
            return key
        } catch {
            // A program may catch the error and continue: a half-filled object would stay.
            tree.delete(plan.model.classID, [key])
            throw error
        }
    }

    /// Writes a new row: first its scalars, then links and collections.
    private func fill(
        _ key: RowKey, _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan,
        _ primaryKey: StoredValue?
    ) throws {
        let model = plan.model
        guard let writer = tree.writer(model.classID, key) else {
            throw RealmError.invalidObject(
                "The row of the new '\(model.className)' cannot be written.")
        }
        let row = RowTarget(context: .passUnretained(context), writer: writer)
        var defaults: ObjectBase?
        var references: [ImportField] = []
        var unconnected: [ImportField] = []
        for (index, field) in plan.fields.enumerated() {
            if let primaryKey, field.property.isPrimaryKey {
                writer.set(field.column, primaryKey)
                continue
            }
            if let importer = field.value {
                if try plan.decodeIfPresent(
                    index, source, { try importer.insert(source, $0, row, $1) })
                {
                    continue
                }
            } else if source.contains(field.key) {
                references.append(field)
                continue
            }
            // Without a Swift class there are no defaults: the row has the zeros of its columns
            // already.
            if model.isDynamic { continue }
            let object = defaults ?? plan.defaults()
            defaults = object
            let property = field.property
            if !property.type._insertDefault(object, at: property.place, row, field.column) {
                unconnected.append(field)
            }
        }
        for field in references { try connect(source, field, plan, key, nil) }
        if !unconnected.isEmpty { try connect(unconnected, model, key) }
    }

    /// Writes defaults that are collections or objects.
    private func connect(
        _ fields: [ImportField], _ model: ModelBinding, _ key: RowKey
    ) throws(RealmError) {
        let owner = model.makeAccessor(live: context, key)
        // A connected list belongs to its row from then on, so the template cannot be reused.
        let fresh = model.type.init()
        try graph.adding(update) { () throws(RealmError) in
            for field in fields {
                let property = field.property
                try property.type._connect(
                    fresh._address(property.place.offset), owner,
                    GraphTarget(
                        graph: graph, owner: owner, column: field.column, changes: .everything))
            }
        }
    }

    private func connect(
        _ source: KeyedDecodingContainer<NameKey>, _ field: ImportField, _ plan: ImportPlan,
        _ row: RowKey, _ updated: ObjectBase?
    ) throws {
        let place = ImportPlace(
            target: self, model: plan.model, key: row, column: field.property.column,
            updated: updated)
        let outer = self.place
        self.place = place
        defer { self.place = outer }
        do {
            try field.reference?.write(source, field.key, place)
        } catch {
            throw ImportMessage.error(error, field, plan, source)
        }
    }

    func change(
        _ row: RowKey, _ plan: ImportPlan, _ source: KeyedDecodingContainer<NameKey>
    ) throws {
        let object = plan.model.makeAccessor(live: context, row)
        let changes: ChangePolicy = update == .modified ? .differences : .everything
        for field in plan.fields
        where !field.property.isPrimaryKey && source.contains(field.key) {
            guard object._prepareWrite(field.column) else { throw object._invalidated }
            defer { object._finishWrite(field.column) }
            guard let importer = field.value else {
                try connect(source, field, plan, row, object)
                continue
            }
            do {
                object._set(try importer.stored(source, field.key), field.column, changes)
            } catch {
                throw ImportMessage.error(error, field, plan, source)
            }
        }
    }
}

/// Lets a decoder walk the JSON of an import.
private struct RowDecoding: DecodableWithConfiguration {
    let keys: [RowKey]

    init(
        from decoder: any Decoder, configuration: (target: JSONImport, plan: ImportPlan)
    ) throws {
        let (target, plan) = configuration
        guard var array = try? decoder.unkeyedContainer() else {
            keys = [try target.listed(decoder.container(keyedBy: NameKey.self), plan)]
            return
        }
        var keys: [RowKey] = []
        keys.reserveCapacity(array.count ?? 0)
        while !array.isAtEnd {
            keys.append(
                try target.listed(array.nestedContainer(keyedBy: NameKey.self), plan))
        }
        self.keys = keys
    }
}
