import Synchronization

extension Slot {
    /// The child, of which there must be one, for a reader: attached here when the memory budget
    /// admits it, else owned by the hold.
    ///
    /// Only for children that nothing reaches but through this slot, and of which readers take
    /// care: clusters, index leaves and list leaves. Everything else attaches.
    @inline(__always)
    func hold(_ demand: @autoclosure () -> NodeDemand) -> NodeHold {
        let word = word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return readHeld(demand()) }
        // Unsafe: a slot with a child holds a pointer to it or the tagged one to its account.
        return NodeHold(
            attached: Node(raw: UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped))
    }

    func readHeld(_ demand: NodeDemand) -> NodeHold {
        let tagged = word.pointee.load(ordering: .acquiring)
        if tagged & 1 == 0 { return hold(demand) }
        // Unsafe: the tagged word is the address of the account, which the reader keeps.
        guard let pointer = UnsafeRawPointer(bitPattern: tagged & ~1), let place = storedPlace
        else { return NodeHold(attached: MissingNode.elements.node) }
        // Unsafe: as above.
        let account = Unmanaged<NodeAccount>.fromOpaque(pointer).takeUnretainedValue()
        if let cached = account.cached(place) {
            if demand.holds(cached) { return NodeHold(owning: cached) }
            // Somebody else takes it for what it is; reading it anew says that it is not this.
            cached.release()
        }
        guard let loaded = account.load(place, demand) else {
            return NodeHold(attached: demand.missing(place.kind) ?? MissingNode.elements.node)
        }
        guard account.admit(loaded) else { return NodeHold(owning: account.cache(loaded)) }
        return NodeHold(attached: attach(loaded, replacing: tagged))
    }

    /// Puts `loaded`, with its count, in place of the reference to disk, and answers with the child
    /// that stands here then: perhaps that of a reader who was quicker, which is the same.
    func attach(_ loaded: Node, replacing tagged: UInt) -> Node {
        let (isFirst, found) = word.pointee.compareExchange(
            expected: tagged, desired: UInt(bitPattern: loaded.raw),
            ordering: .acquiringAndReleasing)
        if isFirst { return loaded }
        loaded.release()
        // Once a pointer stands here, it stays: a child is detached by the only user of the slot.
        return Node(raw: UnsafeMutableRawPointer(bitPattern: found).unsafelyUnwrapped)
    }
}
