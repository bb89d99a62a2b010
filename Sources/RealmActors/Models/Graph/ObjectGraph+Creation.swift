import Foundation
import Storage

extension ObjectGraph {
    /// Creates an object from a value of the program, or updates the one with its primary key.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)``, and as ``add(_:update:)``.
    package func create<Target: ObjectBase>(
        _ type: Target.Type, value: Any, update: UpdatePolicy
    ) throws(RealmError) -> Target {
        if type is EmbeddedObject.Type {
            throw .invalidObject(
                "'\(type)' is embedded and requires a parent. Assign it to a property of the "
                    + "parent."
            )
        }
        if update != .error, DiscoveredModel.of(type).primaryKey == nil {
            throw .noPrimaryKey(className: "\(type)")
        }
        if let source = ValueConversion.source(value) {
            if source._wasInvalidated { throw source._invalidated }
            // An object of a subclass is a source of values, and never the object itself.
            if update != .error, let same = source as? Target, Swift.type(of: same) == type,
                managedKey(of: same) != nil
            {
                return same
            }
        }
        return try create(type, value, .managed(self, update), update)
    }

    /// Creates or updates within a conversion. A class without a primary key always gets a new row.
    func create<Target: ObjectBase>(
        _ type: Target.Type, _ value: Any, _ conversion: ValueConversion, _ update: UpdatePolicy
    ) throws(RealmError) -> Target {
        let source = ValueConversion.source(value)
        // An object of another class whose values lead back to itself.
        if let source, let copy = copies[CopySource(source)] as? Target { return copy }
        let isOutermost = copies.isEmpty
        defer { if isOutermost { copies = [:] } }
        var fresh: Target?
        if update != .error, let existing = try existing(type, value, conversion, &fresh) {
            if let source { copies[CopySource(source)] = existing }
            try conversion.assign(
                value, to: existing, changes: update == .modified ? .differences : .everything)
            return existing
        }
        let object = fresh ?? type.init()
        if let source { copies[CopySource(source)] = object }
        try conversion.assign(value, to: object)
        try addMade(object, update)
        return object
    }

    /// The object with the primary key among the given values. Without one, the key is the default
    /// of `fresh`, which is then the object to create: a default may differ each time.
    private func existing<Target: ObjectBase>(
        _ type: Target.Type, _ value: Any, _ conversion: ValueConversion, _ fresh: inout Target?
    ) throws(RealmError) -> Target? {
        let model = DiscoveredModel.of(type)
        guard let property = model.primaryKey else { return nil }
        if let given = try conversion.value(value, of: property, in: model) {
            return object(type, try conversion.key(given, property, model))
        }
        let unmanaged = type.init()
        fresh = unmanaged
        return object(type, property.type._anyStorable(unmanaged, at: property.place))
    }

    /// The object with a primary key.
    private func object<Target: ObjectBase>(
        _ type: Target.Type, _ key: StorableValue
    ) -> Target? {
        guard let model = liveContext.models.binding(for: type),
            let row = tree.find(model.classID, primaryKey: key.value)
        else { return nil }
        return model.makeAccessor(live: liveContext, row) as? Target
    }

    /// The object of this realm for a given one: itself, the same row, or a copy of one that is
    /// unmanaged, of another realm, or embedded in a parent.
    func own<Target: ObjectBase>(
        _ source: Target, _ update: UpdatePolicy
    ) throws(RealmError) -> Target {
        if source._wasInvalidated { throw source._invalidated }
        guard let context = source.__context else { return try copy(source, update) }
        if context === liveContext, !source._isEmbedded { return source }
        if let row = present(source) { return row }
        return try copy(source, update)
    }

    /// The row of a frozen object of this store, or of one of another live realm; nil if it was
    /// deleted, and for an embedded object.
    func present<Target: ObjectBase>(_ source: Target) -> Target? {
        guard source._isInStore(of: models), !source._isEmbedded,
            let model = models.binding(for: Swift.type(of: source)),
            !liveContext.hasReused(keyOf: source)
        else { return nil }
        return liveContext.live(Target.self, model, source.__key)
    }

    /// Copies an unmanaged object: creating never adopts what it is given.
    func copy<Target: ObjectBase>(
        _ source: Target, _ update: UpdatePolicy
    ) throws(RealmError) -> Target {
        if let copy = copies[CopySource(source)] as? Target { return copy }
        let isOutermost = copies.isEmpty
        defer {
            if isOutermost {
                copies = [:]
            } else if source is EmbeddedObject {
                // Not for an embedded object: given twice, it is copied twice.
                copies[CopySource(source)] = nil
            }
        }
        let object = Swift.type(of: source).init()
        copies[CopySource(source)] = object
        try ValueConversion.managed(self, update).assign(source, to: object)
        if !(object is EmbeddedObject), object.__state == AccessorState.unmanaged {
            try addMade(object, update)
        }
        return object
    }

    /// Adds an object that was made from values. Without a primary key it always gets a new row,
    /// and its defaults may have the primary keys of existing objects.
    private func addMade(_ object: ObjectBase, _ update: UpdatePolicy) throws(RealmError) {
        guard liveContext.isWritable else { throw .notInWriteTransaction }
        try adding(update) { () throws(RealmError) in _ = try link(to: object) }
    }
}

/// The identity of an object to copy, or of an element of an unmanaged set: the row if it is
/// managed, since a row may have many accessors, else the instance.
enum CopySource: Hashable {
    case instance(ObjectIdentifier)
    case row(store: UUID, ClassID, RowKey)

    init(_ object: ObjectBase) {
        if let context = object.__context, let model = object.__model {
            self = .row(store: context.models.storeID, model.classID, object.__key)
        } else {
            self = .instance(ObjectIdentifier(object))
        }
    }
}
