/// Marks a property of a model as stored.
///
///     @Persisted(primaryKey: true) var id: UUID
///     @Persisted(indexed: true) var name: String
///     @Persisted(indexed: .fullText) var text: String
///     @Persisted var age: Int = 3
///     @Persisted(originProperty: "dogs") var people: LinkingObjects<Person>
///
/// A default is evaluated when an unmanaged object first needs it, and then kept; it is never
/// evaluated for an object that is read from the store. A property of a type that cannot be stored
/// does not compile.
@propertyWrapper
public struct Persisted<Value: PersistedValue> {
    // `column` is the first field: binding an accessor stores four bytes at the wrapper's offset.
    /// The column of a managed object, the property's number while tracing, -1 while unmanaged.
    @usableFromInline var column: Int32 = -1
    @usableFromInline var options: PropertyOptions
    @usableFromInline var value: Value?
    @usableFromInline let makeDefault: (() -> Value)?

    @inlinable
    init(options: PropertyOptions, makeDefault: (() -> Value)?) {
        self.options = options
        self.makeDefault = makeDefault
    }

    /// A property with the default of its type.
    @inlinable
    public init() { self.init(options: [], makeDefault: nil) }

    /// A property with a default, evaluated when an unmanaged object first needs it.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value) {
        self.init(options: [], makeDefault: wrappedValue)
    }

    /// Unavailable: the static subscript is used instead.
    @available(*, unavailable, message: "@Persisted works in classes derived from Object")
    public var wrappedValue: Value {
        get { preconditionFailure("@Persisted works in classes derived from Object.") }
        set { preconditionFailure("@Persisted works in classes derived from Object.") }
    }

    /// Reads and writes the property of the object that holds the wrapper.
    ///
    /// The key path is only projected in place: passing it to a function would allocate it, which
    /// costs more than the read.
    @inlinable
    public static subscript<Owner: ObjectBase>(
        _enclosingInstance object: Owner,
        wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inline(__always) get {
            if object.__state == AccessorState.frozen {
                return Value._read(object, Int(object[keyPath: storage].column))
            }
            if object.__state == AccessorState.live,
                object.__generation == object.__current.pointee
            {
                let column = Int(object[keyPath: storage].column)
                object._observeRead(column)
                return Value._read(object, column)
            }
            return object[keyPath: storage].slowGet(object)
        }
        @inline(__always) set {
            if object.__state == AccessorState.unmanaged {
                object[keyPath: storage].value = Value._assigned(
                    newValue, over: object[keyPath: storage].value)
            } else {
                slowSet(newValue, object, object[keyPath: storage].column)
            }
        }
    }

    /// Reads in every state but the frozen one. The wrapper is accessed during the whole call,
    /// which runs no code of a model except the property's default.
    @inlinable
    @inline(never)
    mutating func slowGet(_ object: ObjectBase) -> Value {
        if object.__state == AccessorState.unmanaged { return unmanagedValue() }
        switch object._prepareRead(Int(column)) {
        case .row: return Value._read(object, Int(column))
        case .trace: return object._tracedValue(Int(column))
        case .wrapper: return rowlessValue(object)
        }
    }

    /// The value of an object without a row, because it is unmanaged, or was deleted and has no
    /// kept values. Collections of a deleted object are empty, and still belong to it.
    @usableFromInline
    mutating func rowlessValue(_ object: ObjectBase) -> Value {
        let isUnmanaged = object.__state == AccessorState.unmanaged
        return isUnmanaged || !Value._shape.isCollection
            ? unmanagedValue() : Value._read(object, Int(column))
    }

    /// Writes in every state but the unmanaged one. The wrapper is not accessed meanwhile, because
    /// Observation may run code that reads the property.
    @inlinable
    @inline(never)
    static func slowSet(_ value: Value, _ object: ObjectBase, _ column: Int32) {
        guard object._prepareWrite(Int(column)) else { return }
        Value._store(value, in: object, column: Int(column), changes: .everything)
        object._finishWrite(Int(column))
    }

    /// The value of an unmanaged object; evaluates the default when first needed.
    @inlinable
    mutating func unmanagedValue() -> Value {
        if let value { return value }
        let value = makeDefault?() ?? Value._initial()
        self.value = value
        return value
    }

    /// The default of the property, not kept.
    @usableFromInline
    func freshDefault() -> Value { makeDefault?() ?? Value._initial() }
}

/// The options of a property's declaration.
@usableFromInline
struct PropertyOptions: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var primaryKey: PropertyOptions { PropertyOptions(rawValue: 1) }
    @inlinable static var indexed: PropertyOptions { PropertyOptions(rawValue: 2) }
    @inlinable static var fullText: PropertyOptions { PropertyOptions(rawValue: 4) }
}
