import Storage

extension ValueConversion {
    /// The given values for the stored properties of `model`: by name, in order, or from an object.
    static func values(
        _ any: Any, for model: DiscoveredModel, _ conversion: ValueConversion
    ) throws(RealmError) -> [(DiscoveredProperty, Any)] {
        guard let value = unwrapped(any) else {
            throw conversion.mismatch(any, expected: "values of '\(model.name)'")
        }
        let stored = model.properties.filter { $0.shape.role == .stored }
        if let object = source(value) { return try properties(of: object, stored, model.name) }
        if let entries = value as? [String: Any] {
            return stored.compactMap { property in
                entries[property.name].map { (property, $0) }
            }
        }
        guard let array = value as? [Any] else {
            throw conversion.mismatch(any, expected: "values of '\(model.name)'")
        }
        guard array.count == stored.count else {
            throw .invalidValue(
                "An array for '\(model.name)' has one value per property (\(stored.count)), "
                    + "and this one has \(array.count).")
        }
        return Array(zip(stored, array))
    }

    /// The values of another object under the same names, for all properties of the class.
    private static func properties(
        of object: ObjectBase, _ wanted: [DiscoveredProperty], _ className: String
    ) throws(RealmError) -> [(DiscoveredProperty, Any)] {
        if let refusal = object._refusal { throw refusal }
        let model = object._discovered
        var found: [(DiscoveredProperty, Any)] = []
        for property in wanted {
            guard let own = model[property.name] else {
                throw .invalidValue(
                    "Property '\(className).\(property.name)' has no value: the object that was "
                        + "given is a '\(model.name)', which has no such property. Give a "
                        + "dictionary of values instead.")
            }
            found.append((property, own.type._anyValue(object, at: own.place)))
        }
        return found
    }
}
