import Storage

/// A stored property, and how JSON gives it.
struct ImportField {
    let property: PropertyBinding
    let key: NameKey
    let column: Int
    /// Imports a property whose value is in the row itself.
    let value: (any ValueImporter)?
    /// Imports a property that refers to other rows or has elements.
    let reference: (any ReferenceImporter)?

    init(_ property: PropertyBinding) {
        self.property = property
        key = NameKey(property.name)
        column = property.column.rawValue
        let choice = ImporterChoice(property)
        value = choice.value
        reference = value == nil ? choice.reference : nil
    }
}

/// How JSON gives the objects of one class.
final class ImportPlan {
    let model: ModelBinding
    let fields: [ImportField]
    let primaryKey: ImportField?
    /// The names of the properties.
    private(set) lazy var names = Set(fields.map(\.property.name))
    /// The properties that no object has lacked so far. Checking whether one is present costs half
    /// as much as decoding it, so these are decoded without a check.
    var isAlwaysGiven: [Bool]
    /// An unmanaged object whose wrappers know the defaults.
    private lazy var template = model.type.init()
    /// Whether the class's own initialiser assigns to properties: then every row needs a new
    /// template.
    private lazy var assignsInInit = fields.contains {
        $0.property.type._isAssigned(template, at: $0.property.place)
    }

    init(_ model: ModelBinding) {
        self.model = model
        fields = model.properties.filter { $0.shape.role == .stored }.map { ImportField($0) }
        primaryKey = fields.first { $0.property.isPrimaryKey }
        isAlwaysGiven = fields.map { $0.value != nil }
    }

    /// Runs `decode` for a property of an object; false when the object lacks it.
    @inline(__always)
    func decodeIfPresent(
        _ index: Int, _ source: KeyedDecodingContainer<NameKey>,
        _ decode: (NameKey, Int) throws -> Void
    ) throws -> Bool {
        let field = fields[index]
        if !isAlwaysGiven[index], !source.contains(field.key) { return false }
        do {
            try decode(field.key, field.column)
            return true
        } catch {
            guard source.contains(field.key) else {
                isAlwaysGiven[index] = false
                return false
            }
            throw ImportMessage.error(error, field, self, source)
        }
    }

    /// An object with the defaults of the class, for one row.
    func defaults() -> ObjectBase { assignsInInit ? model.type.init() : template }
}

extension PersistedValue {
    /// Whether a wrapper of an unmanaged object holds a value already.
    static func _isAssigned(_ object: ObjectBase, at place: WrapperPlace) -> Bool {
        // Unsafe: reflection found a `Persisted<Self>` at the place; the caller holds the object.
        let wrapper = object._address(place.offset).assumingMemoryBound(to: Persisted<Self>.self)
        return wrapper.pointee.value != nil
    }

    /// Writes the default of a property into a new row, evaluated again. False when objects have to
    /// be added for it, or elements; then ``_connect(_:_:to:)`` follows.
    static func _insertDefault(
        _ object: ObjectBase, at place: WrapperPlace, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: as above.
        let address = object._address(place.offset)
        let isComplete = _insert(address, row, column)
        if isComplete {
            address.assumingMemoryBound(to: Persisted<Self>.self).pointee.value = nil
        }
        return isComplete
    }

    /// The default of a property, evaluated again.
    static func _defaultStorable(_ object: ObjectBase, at place: WrapperPlace) -> StorableValue {
        // Unsafe: as above.
        let wrapper = object._address(place.offset).assumingMemoryBound(to: Persisted<Self>.self)
        return (wrapper.pointee.value ?? wrapper.pointee.freshDefault())._storable
    }
}
