extension Node {
    /// The maximum number of children of a branch, and of its keys.
    static let branchFanOut = 16

    /// The number of keys below `key` among the first ``count`` of a branch, which ascend from
    /// `offset` on.
    ///
    /// It compares all places, including unused ones, by arithmetic: a branch that depends on the
    /// keys would often be mispredicted.
    @inline(__always)
    func keysBelow(_ key: UInt64, at offset: Int) -> Int {
        // Unsafe: a branch has room for that many keys, regardless of its count.
        let keys = raw + offset
        var below: UInt64 = 0
        for index in 0..<Node.branchFanOut {
            let mine = keys.load(fromByteOffset: index &* 8, as: UInt64.self)
            // The top bits are set if `mine - key` borrows, and if the place is used.
            let borrow = (~mine & key) | (~(mine ^ key) & (mine &- key))
            let used = UInt64(bitPattern: Int64(index &- count))
            below &+= (borrow & used) &>> 63
        }
        return Int(truncatingIfNeeded: below)
    }
}
