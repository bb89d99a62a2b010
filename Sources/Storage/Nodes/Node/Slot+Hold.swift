import Synchronization

extension Slot {
    /// The child, which must exist, for a reader: attached here if the memory budget admits it,
    /// otherwise retained by the hold.
    ///
    /// Only for children that are reached only through this slot, and whose readers keep the hold:
    /// clusters, index leaves and list leaves. All others are attached.
    @inline(__always)
    func hold(_ demand: @autoclosure () -> NodeDemand) -> NodeHold {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return readHeld(demand()) }
        // Unsafe: a slot with a child contains a pointer to it, or the tagged pointer to its
        // account.
        return NodeHold(
            attached: Node(raw: UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped))
    }

    func readHeld(_ demand: NodeDemand) -> NodeHold {
        let tagged = word.pointee.load(ordering: .acquiring)
        if tagged & 1 == 0 { return hold(demand) }
        // Unsafe: the tagged word is the address of the account, which the reader retains.
        guard let pointer = UnsafeRawPointer(bitPattern: tagged & ~1), let place = storedPlace
        else { return NodeHold(attached: MissingNode.elements.node) }
        // Unsafe: as above.
        let account = Unmanaged<NodeAccount>.fromOpaque(pointer).takeUnretainedValue()
        if let cached = account.cached(place) {
            if demand.holds(cached) { return NodeHold(owning: cached) }
            // It was read with another demand; reading it again reports that it does not meet this
            // one.
            cached.release()
        }
        guard let loaded = account.load(place, demand) else {
            return NodeHold(attached: demand.missing(place.kind) ?? MissingNode.elements.node)
        }
        guard account.admit(loaded) else { return NodeHold(owning: account.cache(loaded)) }
        return NodeHold(attached: attach(loaded, replacing: tagged))
    }

    /// Replaces the reference to disk with `loaded`, which is retained, and returns the attached
    /// child: perhaps the equal one of a concurrent reader.
    func attach(_ loaded: Node, replacing tagged: UInt) -> Node {
        let (isFirst, found) = word.pointee.compareExchange(
            expected: tagged, desired: UInt(bitPattern: loaded.raw),
            ordering: .acquiringAndReleasing)
        if isFirst { return loaded }
        loaded.release()
        // An attached pointer stays: only an exclusive user of the slot detaches a child.
        return Node(raw: UnsafeMutableRawPointer(bitPattern: found).unsafelyUnwrapped)
    }
}
