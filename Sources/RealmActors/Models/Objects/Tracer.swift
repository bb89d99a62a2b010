import Storage

/// One property that a key path goes through.
package struct TracedStep: Sendable {
    /// The class that declares the property, or inherits it.
    package let model: DiscoveredModel
    /// Its number among the model's properties.
    package let position: Int
    package var property: DiscoveredProperty { model.properties[position] }
    package var name: String { property.name }
}

/// Finds the properties that a key path goes through, by evaluating it on an accessor that records
/// what is read. Costs about as much as making a few objects: translate once, not per read.
package enum Tracer {
    /// The steps of a key path. Empty when it goes through nothing that is persisted.
    package static func path<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> [TracedStep] {
        steps(Root.self) { _ = $0[keyPath: keyPath] }
    }

    /// The steps that `read` takes from an object.
    package static func steps<Root: ObjectBase>(
        _ type: Root.Type, _ read: (Root) -> Void
    ) -> [TracedStep] {
        let context = TraceContext()
        guard let root = context.accessor(type) as? Root else { return [] }
        read(root)
        return context.steps
    }

    /// The name of the steps as text: `owner.name`.
    package static func text(_ steps: [TracedStep]) -> String {
        steps.map(\.name).joined(separator: ".")
    }
}

/// What tracing accessors record into.
private final class TraceContext: AccessContext {
    var steps: [TracedStep] = []

    init() { super.init(models: .none) }

    /// An accessor that records. Its wrappers hold their property's number.
    func accessor(_ type: ObjectBase.Type) -> ObjectBase {
        let object = type.init()
        object.__state = AccessorState.tracing
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
    /// Records a step of a traced key path; gives an accessor of `target` to go on with.
    @discardableResult
    final func _trace(_ number: Int, into target: ObjectBase.Type?) -> ObjectBase? {
        guard let context = __context as? TraceContext else { return nil }
        context.steps.append(
            TracedStep(model: DiscoveredModel.of(type(of: self)), position: number))
        return target.map { context.accessor($0) }
    }
}
