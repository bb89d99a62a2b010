@_spi(Reflection) import Swift

/// A stored property that ``Persisted`` wraps, as reflection finds it.
struct ReflectedField {
    /// The name of the property, without the underscore of its wrapper.
    let name: String
    /// Where the wrapper lies in an instance.
    let offset: Int
    let value: any PersistedValue.Type
}

/// Finds the wrappers of a model class by reflection metadata: the one place that knows how.
enum FieldReflection {
    /// The persisted properties of `type`, superclass first, in the order of declaration.
    static func fields(of type: ObjectBase.Type) -> [ReflectedField] {
        var fields: [ReflectedField] = []
        // The raw value 1 is the option for classes; Swift 6 mode cannot name it.
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
            name, offset, fieldType, _ in
            if let wrapper = fieldType as? any PersistedWrapper.Type {
                fields.append(
                    ReflectedField(
                        name: publicName(String(cString: name)), offset: offset,
                        value: wrapper.valueType))
            }
            return true
        }
        return fields
    }

    /// Whether instances of `type` store anything beside their persisted properties.
    static func hasOwnFields(_ type: ObjectBase.Type) -> Bool {
        otherFields(type) > otherFields(ObjectBase.self)
    }

    private static func otherFields(_ type: ObjectBase.Type) -> Int {
        var count = 0
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { _, _, fieldType, _ in
            if !(fieldType is any PersistedWrapper.Type) { count += 1 }
            return true
        }
        return count
    }

    /// The names and value types that a mirror of `object` shows, superclass first. It needs an
    /// instance and knows no offsets; it serves to tell a class without persisted properties from
    /// one whose metadata was stripped, and to check ``fields(of:)``.
    static func mirrored(_ object: ObjectBase) -> [(name: String, value: any PersistedValue.Type)] {
        var levels: [Mirror] = []
        var level: Mirror? = Mirror(reflecting: object)
        while let current = level {
            levels.append(current)
            level = current.superclassMirror
        }
        return levels.reversed().flatMap { level in
            level.children.compactMap { child in
                guard let label = child.label, let wrapper = child.value as? any PersistedWrapper
                else { return nil }
                return (publicName(label), type(of: wrapper).valueType)
            }
        }
    }

    /// The names of `lazy` properties.
    static func lazyNames(_ object: ObjectBase) -> [String] {
        var names: [String] = []
        var level: Mirror? = Mirror(reflecting: object)
        while let current = level {
            names += current.children.compactMap { child in
                guard let label = child.label, label.hasPrefix("$__lazy_storage_$_") else {
                    return nil
                }
                return publicName(String(label.dropFirst("$__lazy_storage_$".count)))
            }
            level = current.superclassMirror
        }
        return names
    }

    private static func publicName(_ label: String) -> String {
        label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
}

/// What reflection asks of a ``Persisted`` whose value type it does not know.
protocol PersistedWrapper {
    static var valueType: any PersistedValue.Type { get }
    var options: PropertyOptions { get }
    var defaultValue: Any { get }
}

extension Persisted: PersistedWrapper {
    static var valueType: any PersistedValue.Type { Value.self }
    var defaultValue: Any { freshDefault() }
}
