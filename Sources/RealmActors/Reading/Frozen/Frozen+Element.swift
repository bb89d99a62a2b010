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
