extension Node {
    /// The most children that a branch can have, and the keys that stand in each.
    static let branchFanOut = 16

    /// How many of the first ``count`` keys of a branch, which ascend from `offset` on, are below
    /// `key`.
    ///
    /// It counts them all, those of unused places included, and compares by arithmetic: no jump
    /// depends on the keys, which would be mispredicted half of the time.
    @inline(__always)
    func keysBelow(_ key: UInt64, at offset: Int) -> Int {
        // Unsafe: a branch has room for that many keys, whatever its count.
        let keys = raw + offset
        var below: UInt64 = 0
        for index in 0..<Node.branchFanOut {
            let mine = keys.load(fromByteOffset: index &* 8, as: UInt64.self)
            // The top bit of each says yes: that `mine - key` borrows, and that the place is used.
            let borrow = (~mine & key) | (~(mine ^ key) & (mine &- key))
            let used = UInt64(bitPattern: Int64(index &- count))
            below &+= (borrow & used) &>> 63
        }
        return Int(truncatingIfNeeded: below)
    }
}
