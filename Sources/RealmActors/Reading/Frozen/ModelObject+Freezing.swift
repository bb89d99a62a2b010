extension ModelObject {
    /// The present state of the object as an immutable value, also inside a write. Traps if the
    /// object is unmanaged; one that was deleted has the values that it last had.
    public func freeze() -> Frozen<Self> {
        if __state == AccessorState.frozen { return Frozen(frozen: self) }
        // Unsafe: it is an accessor of this one's model, whose accessors are of one class.
        return Frozen(frozen: unsafeDowncast(_frozenCounterpart, to: Self.self))
    }
}
