import Storage

extension Frozen: FrozenElement {
    /// An accessor for the linked object.
    public static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> Frozen {
        Frozen(
            frozen: Model._element(stored, at: ElementPlace(source.owner, source.column)))
    }

    /// The link.
    public var _frozenStorable: StorableValue { StorableValue(.link(object.__key)) }
}

extension FrozenValue: FrozenElement {
    /// Makes a value from its stored form.
    public static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> FrozenValue {
        guard let model = source.owner.__model,
            let context = source.owner.__context as? FrozenContext
        else { return .none }
        return FrozenValue(stored.value, target: model.columns[source.column].target, context)
    }

    /// The stored form.
    public var _frozenStorable: StorableValue {
        switch self {
        case .none: StorableValue(.null)
        case .int(let value): value._scalar
        case .bool(let value): value._scalar
        case .float(let value): value._scalar
        case .double(let value): value._scalar
        case .string(let value): value._scalar
        case .data(let value): value._scalar
        case .date(let value): value._scalar
        case .uuid(let value): value._scalar
        case .object(let value):
            StorableValue(.object(value.object.__model.classID, value.object.__key))
        case .objectId(let value): value._scalar
        case .decimal128(let value): value._scalar
        case .list(let values):
            StorableValue(.list(.fresh(), values.map(\._frozenStorable.value)))
        case .dictionary(let entries):
            StorableValue(
                .dictionary(
                    .fresh(),
                    entries.sorted { NestedEntry.precedes($0.key, $1.key) }
                        .map { NestedEntry(key: $0.key, value: $0.value._frozenStorable.value) }))
        }
    }
}
