import Storage

extension ObjectWriting {
    /// Whether there is no object of any class now, including classes that are not among the
    /// realm's `objectTypes`. In a write, its own changes count.
    ///
    /// - Complexity: linear in the number of classes.
    public var isEmpty: Bool { liveContext.view.hasNoObject }
}
