@_spi(Reflection) import Swift

/// A stored property that ``Persisted`` wraps, found by reflection.
struct ReflectedField {
    /// The name of the property, without the underscore of its wrapper.
    let name: String
    /// The offset of the wrapper in an instance.
    let offset: Int
    let value: any PersistedValue.Type
}

/// The stored properties that a model class declares.
struct ReflectedFields {
    /// The persisted properties, superclass first, in the order of declaration.
    var persisted: [ReflectedField] = []
    /// Whether there are other stored properties.
    var hasOthers = false
    /// The names of `lazy` properties, which are among the others.
    var lazyNames: [String] = []
}

/// Finds the wrappers of a model class by reflection metadata, which no other type reads.
///
/// Opening a realm reflects its classes, so this avoids mirrors and casts to protocols: for these
/// the runtime searches all conformances of the program, and one search takes longer than reading a
/// node from disk.
enum FieldReflection {
    /// The fields of instances of `type` beyond those of every object.
    static func fields(of type: ObjectBase.Type) -> ReflectedFields {
        var fields = ReflectedFields()
        var rest = baseFieldCount
        forEachField(of: type) { name, offset, fieldType in
            if rest > 0 {
                rest -= 1
                return
            }
            let name = String(cString: name)
            if let value = valueType(of: fieldType) {
                let field = ReflectedField(name: publicName(name), offset: offset, value: value)
                return fields.persisted.append(field)
            }
            fields.hasOthers = true
            if name.hasPrefix(lazyPrefix) {
                fields.lazyNames.append(publicName(String(name.dropFirst(lazyPrefix.count - 1))))
            }
        }
        return fields
    }

    private static let lazyPrefix = "$__lazy_storage_$_"

    // Unsafe: names of fields are constants of the program.
    private static func forEachField(
        of type: ObjectBase.Type, _ body: (UnsafePointer<CChar>, Int, Any.Type) -> Void
    ) {
        // The raw value 1 is the option for classes; Swift 6 mode cannot name it.
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
            name, offset, fieldType, _ in
            body(name, offset, fieldType)
            return true
        }
    }

    /// The number of fields of every object, which come first.
    private static let baseFieldCount = {
        var count = 0
        forEachField(of: ObjectBase.self) { _, _, _ in count += 1 }
        return count
    }()

    /// The type of value in a wrapper; nil for every other type of field.
    private static func valueType(of fieldType: Any.Type) -> (any PersistedValue.Type)? {
        // The most common types, compared one by one: the metadata of each is created when it is
        // first named.
        if fieldType == Persisted<String>.self { return String.self }
        if fieldType == Persisted<Int>.self { return Int.self }
        if fieldType == Persisted<Bool>.self { return Bool.self }
        if fieldType == Persisted<Double>.self { return Double.self }
        return (fieldType as? any PersistedWrapper.Type)?.valueType
    }

    /// The names and value types in a mirror of `object`, superclass first. It needs an instance
    /// and has no offsets; it distinguishes a class without persisted properties from one with
    /// stripped metadata, and checks ``fields(of:)`` in tests.
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

    private static func publicName(_ label: String) -> String {
        label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
}

/// The value type of a ``Persisted``, for reflection.
protocol PersistedWrapper {
    static var valueType: any PersistedValue.Type { get }
    var options: PropertyOptions { get }
    var hasDefault: Bool { get }
    var defaultValue: Any { get }
}

extension Persisted: PersistedWrapper {
    static var valueType: any PersistedValue.Type { Value.self }
    var hasDefault: Bool { makeDefault != nil }
    var defaultValue: Any { freshDefault() }
}
