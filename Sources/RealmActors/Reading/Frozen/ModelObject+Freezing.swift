extension ModelObject {
    /// The object as it is at this moment, also within a write. The object must be managed; one
    /// that is gone shows the values that it showed last.
    public func freeze() -> Frozen<Self> {
        if __state == AccessorState.frozen { return Frozen(frozen: self) }
        // Unsafe: it is an accessor of this one's model, whose accessors are of one class.
        return Frozen(frozen: unsafeDowncast(_frozenTwin, to: Self.self))
    }
}
