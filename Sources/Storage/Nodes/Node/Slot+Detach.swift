extension Slot {
    /// Evicts the child, which from here on is only on disk, at `place`.
    ///
    /// The slot must not be accessed concurrently: its node is uniquely owned, or a copy that is
    /// not shared yet. Other owners keep the child. The node's account reads the child back.
    func detach(at place: NodePlace) {
        guard let child = resident else { return }
        let account = child.account
        store(place)
        attach(to: account)
        child.release()
    }
}
