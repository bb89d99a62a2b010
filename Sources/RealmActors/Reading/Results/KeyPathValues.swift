import Storage

// The key paths of Realm's key-value coding: `owner.name`, `@avg.age`, `dogs.@count`.

extension ModelObject {
    /// The value at a path of names that are separated by periods: `"owner.name"`. Across a
    /// collection of objects it is an array with the value of each, or the result of an operator:
    /// `"dogs.name"`, `"dogs.@avg.age"`. After a map, the next name is a key. Nil if a link on the
    /// path is nil.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is not persisted, and for a name
    ///   after a value that is not an object, a map or a collection of objects; as
    ///   ``Results/value(forKeyPath:)``.
    public func value(forKeyPath path: String) throws(RealmError) -> Any? {
        try traverse(path, from: self)
    }

    /// Sets the property at a path of names that are separated by periods: `"owner.name"`. Across a
    /// collection of objects, `"dogs.name"`, sets it in each object. Has no effect if a link on the
    /// path is nil. For an entry of a map, use ``Map/setValue(_:forKey:)``.
    ///
    /// - Throws: as ``value(forKeyPath:)``; ``RealmError/invalidValue(_:)`` for a value that the
    ///   property does not accept.
    public func setValue(_ value: Any?, forKeyPath path: String) throws(RealmError) {
        guard let period = path.lastIndex(of: ".") else {
            return try setValue(value, forKey: path)
        }
        let name = String(path[path.index(after: period)...])
        switch try self.value(forKeyPath: String(path[..<period])) {
        case nil:
            return
        case let object as ObjectBase:
            try object.setValue(value, forKey: name)
        case let objects as any (ObjectCollection & Collection):
            try objects.setValue(value, forKey: name)
        default:
            throw .invalidKeyPath(
                "The key path '\(path)' of class '\(type(of: self))' leads to no property that "
                    + "can be set.")
        }
    }
}

extension Results {
    /// The values at a key path from every object, as ``ModelObject/value(forKeyPath:)`` returns
    /// them, or the result of an operator on the objects. The path has at most 100 names:
    ///
    ///     try dogs.value(forKeyPath: "owner.name")     // [Any?]
    ///     try dogs.value(forKeyPath: "@avg.age")       // Double, nil without dogs
    ///
    /// The operators are `@count`, `@min`, `@max`, `@sum` and `@avg`, as
    /// ``QueryableResults/min(ofProperty:)`` and the other aggregates by name, `@unionOfObjects`,
    /// all values in order, and `@distinctUnionOfObjects`, each value once.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for an unknown name or operator; the error when
    ///   a node could not be read.
    public func value(forKeyPath path: String) throws(RealmError) -> Any? {
        let aggregates = NamedAggregates(
            min: self.min(ofProperty:), max: self.max(ofProperty:), sum: self.sum(ofProperty:),
            average: self.average(ofProperty:))
        let value = try CollectionKeyPath(path).value(
            count: count, objects: Array(IteratorSequence(makeIterator())), aggregates)
        try context.requireReadable()
        return value
    }
}

/// A map whose value type is not known.
private protocol KeyedValues {
    func entry(_ key: String) -> Any?
}

extension Map: KeyedValues where Key == String {
    fileprivate func entry(_ key: String) -> Any? { plain(self[key] as Any) }

    /// The value at a path: the first name is a key, and the others continue from its value, as in
    /// `"home.street"`. Nil if there is none.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that is not persisted, and for a name
    ///   after a value that is neither an object nor a map; the error when a node could not be
    ///   read.
    public func value(forKeyPath path: String) throws(RealmError) -> Any? {
        let value = try traverse(path, from: self)
        try requireReadable()
        return value
    }
}

/// The value at a key path from an object, a map or a collection of objects. A loop, because
/// recursion would exhaust the stack on a long path.
private func traverse(_ path: String, from start: Any) throws(RealmError) -> Any? {
    var value = start
    var rest = path[...]
    while true {
        let name = rest.prefix { $0 != "." }
        let next: Any?
        if let object = value as? ObjectBase {
            next = try object.value(forKey: String(name))
        } else if let objects = value as? any (ObjectCollection & Collection) {
            return try objects.value(forKeyPath: String(rest))
        } else if let map = value as? any KeyedValues {
            next = map.entry(String(name))
        } else {
            throw .invalidKeyPath(
                "The key path '\(path)' of a '\(type(of: start))' continues past "
                    + "'\(path[..<rest.startIndex].dropLast())', which has no properties.")
        }
        if name.endIndex == rest.endIndex { return next }
        guard let next else { return nil }
        value = next
        rest = rest[rest.index(after: name.endIndex)...]
    }
}

// Not for maps, whose first name is a key.
extension ObjectCollection where Self: Collection {
    /// The values at a key path from every object, or the result of an operator on the objects; see
    /// ``Results/value(forKeyPath:)``. For a ``MutableSet``, as in Realm, each value once.
    ///
    /// - Throws: as ``Results/value(forKeyPath:)``.
    public func value(forKeyPath path: String) throws(RealmError) -> Any? {
        let aggregates = NamedAggregates(
            min: self.min(ofProperty:), max: self.max(ofProperty:), sum: self.sum(ofProperty:),
            average: self.average(ofProperty:))
        let value = try CollectionKeyPath(path).value(
            count: count, objects: _objects, aggregates)
        try requireReadable()
        guard Self.self is any DistinctCollection.Type, let values = value as? [Any?] else {
            return value
        }
        return distinctValues(values)
    }
}

private enum CollectionOperator: String, CaseIterable {
    case count, min, max, sum, avg, unionOfObjects, distinctUnionOfObjects
}

/// The aggregates of a collection by the name of a property.
private struct NamedAggregates {
    let min: (String) throws(RealmError) -> FrozenValue
    let max: (String) throws(RealmError) -> FrozenValue
    let sum: (String) throws(RealmError) -> FrozenValue
    let average: (String) throws(RealmError) -> Double?
}

/// A key path from a collection: an operator, if it begins with one, and the path from each object.
private struct CollectionKeyPath {
    private static let maximumNames = 100

    private let operation: CollectionOperator
    private let path: String

    init(_ text: String) throws(RealmError) {
        // Each collection on the path adds a level of recursion.
        guard text.split(separator: ".").count <= Self.maximumNames else {
            throw .invalidKeyPath(
                "A key path of a collection has more than \(Self.maximumNames) names.")
        }
        guard text.hasPrefix("@") else {
            operation = .unionOfObjects
            path = text
            return
        }
        let name = text.dropFirst().prefix { $0 != "." }
        path = String(text.dropFirst(name.count + 2))
        guard let known = CollectionOperator(rawValue: String(name)) else {
            let names = CollectionOperator.allCases.map { "@\($0.rawValue)" }
            throw .invalidKeyPath(
                "The key path '\(text)' begins with an unknown operator. The operators are "
                    + "\(names.joined(separator: ", ")).")
        }
        if path.isEmpty, known != .count {
            throw .invalidKeyPath(
                "The key path '\(text)' lacks a property. Write '@\(name).property'.")
        }
        operation = known
    }

    func value<Model: ObjectBase>(
        count: @autoclosure () -> Int, objects: @autoclosure () -> [Model],
        _ aggregates: NamedAggregates
    ) throws(RealmError) -> Any? {
        switch operation {
        case .count: return count()
        case .min: return try aggregates.min(path).contents
        case .max: return try aggregates.max(path).contents
        case .sum: return try aggregates.sum(path).contents
        case .avg: return try aggregates.average(path)
        case .unionOfObjects: return try values(objects())
        case .distinctUnionOfObjects: return distinctValues(try values(objects()))
        }
    }

    private func values(_ objects: [some ObjectBase]) throws(RealmError) -> [Any?] {
        var values: [Any?] = []
        for object in objects { values.append(try object.value(forKeyPath: path)) }
        return values
    }
}

/// Each value once, at its first position, compared as in managed sets; all collections are kept.
func distinctValues(_ values: [Any?]) -> [Any?] {
    var seen: Set<AnyHashable> = []
    return values.filter { value in
        guard let key = identity(of: value) else { return true }
        return seen.insert(key).inserted
    }
}

/// The identity of a value, the same for equal ones; nil for a collection.
private func identity(of value: Any?) -> AnyHashable? {
    guard let value else { return AnyHashable(ExactValue(.null)) }
    switch value {
    case let object as ObjectBase: return AnyHashable(CopySource(object))
    // A value that is stored as an embedded object has no stored form yet.
    case let value as any FailableCustomPersistable: return erased(value)
    case let value as any PersistableScalar: return AnyHashable(ExactValue(value._storable.value))
    default: return nil
    }
}

private func erased(_ value: some Hashable) -> AnyHashable { AnyHashable(value) }

extension FrozenValue {
    /// The contained value; nil for no value.
    fileprivate var contents: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .list(let value): value
        case .dictionary(let value): value
        }
    }
}
