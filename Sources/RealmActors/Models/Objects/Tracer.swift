import Foundation
import Storage

/// One property on a key path.
package struct TracedStep: Sendable {
    /// The class that declares the property, or inherits it.
    package let model: DiscoveredModel
    /// Its number among the model's properties.
    package let position: Int
    /// The number of steps that lead to the property's object; zero for the root.
    let origin: Int
    package var property: DiscoveredProperty { model.properties[position] }
    package var name: String { property.name }

    /// The default of the property.
    var defaultValue: Any {
        model.type.init()._wrapper(at: property.place.offset, property.type).defaultValue
    }
}

/// Finds the properties on a key path, by evaluating it on an accessor that records its reads.
/// Costs about as much as creating a few objects: translate once, not for each read.
package enum Tracer {
    /// The steps of a key path. Empty if no property on it is persisted.
    package static func path<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> [TracedStep] {
        steps(Root.self) { _ = $0[keyPath: keyPath] }
    }

    /// The steps that `read` takes from an object.
    package static func steps<Root: ObjectBase>(
        _ type: Root.Type, _ read: (Root) -> Void
    ) -> [TracedStep] {
        let context = TraceContext(nil)
        guard let root = context.accessor(type) as? Root else { return [] }
        read(root)
        return context.steps
    }

    /// Whether a key path returns the stored value of its last property, so that a query may read
    /// the column instead.
    ///
    /// A computed property reads the stored one, too. It is detected by its results for two values:
    /// uppercasing does not change a string without letters, and doubling does not change zero, but
    /// hardly any computation preserves both values. For custom types, only their zero is used.
    package static func isStored<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> Bool {
        [TraceContext.Sample.zeros, .marks].allSatisfy { sample in
            let context = TraceContext(sample)
            guard let root = context.accessor(Root.self) as? Root else { return false }
            return context.gives(keyPath, of: root) && isOneWay(context.steps)
        }
    }

    /// Whether each property belongs to the object that the previous one leads to.
    package static func isOneWay(_ steps: [TracedStep]) -> Bool {
        steps.enumerated().allSatisfy { number, step in step.origin == number }
    }

    /// The error for a key path to a value that is not stored.
    package static func refusal<Root: ObjectBase>(
        of keyPath: PartialKeyPath<Root>, _ steps: [TracedStep]
    ) -> String {
        let names = steps.map { "'\($0.name)'" }.joined(separator: ", ")
        return steps.isEmpty
            ? "A key path of class '\(Root.self)' goes through no @Persisted property. "
                + "Queries and sorts take persisted properties only."
            : "\(String(reflecting: keyPath)) of class '\(Root.self)' is not persisted: it is "
                + "computed from \(names). Queries and sorts take @Persisted properties only."
    }

    /// The name of the steps as text: `owner.name`.
    package static func text(_ steps: [TracedStep]) -> String {
        steps.map(\.name).joined(separator: ".")
    }
}

/// The recorder of tracing accessors.
private final class TraceContext: AccessContext {
    /// The values that properties return while tracing.
    enum Sample {
        /// The zero of the type.
        case zeros
        /// Marks: values that computations rarely preserve.
        case marks
    }

    /// Nil if returned values are not recorded.
    private let sample: Sample?
    var steps: [TracedStep] = []
    /// The key of the accessor for the object at the present step. The class does not suffice:
    /// links may lead to their own class.
    var key: RowKey { RowKey(Int64(steps.count)) }
    /// The stored form of the last property's returned value.
    private var given: StoredValue?

    init(_ sample: Sample?) {
        self.sample = sample
        super.init(models: .none)
    }

    /// Notes what a property returns.
    func note(_ value: some PersistedValue) {
        if sample != nil { given = value._storable.value }
    }

    /// The mark of a type; nil when sampling zeros, and for custom types, which may reject it.
    func mark<Value: PersistableScalar>(of type: Value.Type) -> Value? {
        guard sample == .marks, !(type is any FailableCustomPersistable.Type) else { return nil }
        if let type = type as? any PersistableEnum.Type { return type.lastCase as? Value }
        return Value._from(StorableValue(Value._scalarShape.kind.mark))
    }

    /// Whether a key path returns the value that its last property returned.
    func gives<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>, of root: Root) -> Bool {
        let type = Swift.type(of: keyPath).valueType
        // Objects and arrays conform only for the compiler's diagnostics; they cannot be
        // properties.
        if let type = type as? any PersistedValue.Type, !(type is any UnstorableValue.Type) {
            guard let value = type.stored(keyPath, of: root), value == given,
                let last = steps.last?.property
            else { return false }
            // An element of a collection, or of a value of any type, is selected by code.
            let holdsOthers = last.shape.isCollection || last.shape.kind == .mixed
            return !crossesCollection && (last.type == type || !holdsOthers)
        }
        _ = root[keyPath: keyPath]
        // Objects, and values of all objects of a collection, are accepted: a caller that needs an
        // order refuses them itself.
        return type is ObjectBase.Type || crossesCollection
    }

    /// Whether the steps continue after a collection.
    private var crossesCollection: Bool {
        steps.dropLast().contains { $0.property.shape.isCollection }
    }

    /// A recording accessor for the object at the present step. Its key is the number of steps, and
    /// its wrappers have their property's number.
    func accessor(_ type: ObjectBase.Type) -> ObjectBase {
        let object = type.init()
        object.__state = AccessorState.tracing
        object.__key = key
        object.__context = self
        for (number, property) in DiscoveredModel.of(type).properties.enumerated() {
            // Unsafe: the offsets are those that reflection found for this very class, and the
            // column is the first field of every `Persisted`.
            object._address(property.place.offset).storeBytes(of: Int32(number), as: Int32.self)
        }
        return object
    }
}

extension ObjectBase {
    /// Records a step of a traced key path; returns an accessor of `target` to continue with.
    @discardableResult
    final func _trace(_ number: Int, into target: ObjectBase.Type?) -> ObjectBase? {
        guard let context = __context as? TraceContext else { return nil }
        context.steps.append(
            TracedStep(
                model: DiscoveredModel.of(type(of: self)), position: number,
                origin: Int(__key.rawValue)))
        return target.map { context.accessor($0) }
    }

    /// The value with which a traced key path continues after a property.
    @usableFromInline
    final func _tracedValue<Value: PersistedValue>(_ number: Int) -> Value {
        let value = Value._traced(self, number)
        (__context as? TraceContext)?.note(value)
        return value
    }

    /// The mark of a property's type; nil if zero is to be returned.
    final func _tracedMark<Value: PersistableScalar>(_ type: Value.Type) -> Value? {
        (__context as? TraceContext)?.mark(of: type)
    }

    /// The default of a traced property whose type has no zero.
    final func _tracedDefault<Value: PersistedValue>(_ number: Int) -> Value? {
        let property = DiscoveredModel.of(type(of: self)).properties[number]
        // Of a new object, because the wrapper of this one is being accessed.
        let fresh = type(of: self).init()
        return fresh._wrapper(at: property.place.offset, property.type).defaultValue as? Value
    }
}

extension PersistedValue {
    /// The stored form of a key path's value; nil if that is of another type.
    fileprivate static func stored<Root: ObjectBase>(
        _ keyPath: PartialKeyPath<Root>, of root: Root
    ) -> StoredValue? {
        (keyPath as? KeyPath<Root, Self>).map { root[keyPath: $0]._storable.value }
    }
}

extension PersistableEnum {
    /// A case other than the zero, unless there is only one.
    fileprivate static var lastCase: Any? { Array(allCases).last }
}

extension ValueKind {
    /// A value that computations rarely preserve; null for kinds without scalars.
    fileprivate var mark: StoredValue {
        switch self {
        case .bool: .bool(true)
        case .int: .int(113)
        case .float: .float(113.375)
        case .double: .double(113.375)
        case .string: .string(String(repeating: " aZ0 ", count: 20))
        case .data: .data(Data(" aZ0 ".utf8))
        case .date: .date(113.375)
        case .uuid: .uuid(UUID())
        case .objectID: .objectID(ObjectIDBits(high: 1, low: 13))
        case .decimal: .decimal(DecimalBits(isNegative: false, coefficient: 113, exponent: -1))
        case .link, .mixed: .null
        }
    }
}
