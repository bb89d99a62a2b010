extension Slot {
    /// Evicts the child, which from here on is only on disk, at `place`.
    ///
    /// Nobody else may be looking at this slot: the node that holds it is the writer's own, or a
    /// copy that is not shared yet. The child stays for those who have it otherwise. The node's
    /// account is the one that reads the child back.
    func detach(at place: NodePlace) {
        guard let child = resident else { return }
        let account = child.account
        store(place)
        attach(to: account)
        child.release()
    }
}
