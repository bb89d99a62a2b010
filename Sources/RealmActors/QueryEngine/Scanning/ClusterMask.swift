package import Storage

/// A set of slots of one cluster: one bit for each of its at most 256 rows.
///
/// Predicates narrow it: they clear the bits of rows that do not match.
package struct ClusterMask: Sendable, Equatable {
    package var words: SIMD4<UInt64>

    package init(words: SIMD4<UInt64> = .zero) { self.words = words }

    /// The live rows of `cluster`.
    @inline(__always)
    package init(live cluster: Cluster) {
        words = SIMD4(
            cluster.liveWord(0), cluster.liveWord(1), cluster.liveWord(2), cluster.liveWord(3))
    }

    /// One row only.
    @inline(__always)
    package init(slot: Int) {
        words = .zero
        words[slot >> 6] = 1 &<< UInt64(truncatingIfNeeded: slot & 63)
    }

    @inline(__always)
    package var isEmpty: Bool { (words[0] | words[1] | words[2] | words[3]) == 0 }

    @inline(__always)
    package var count: Int {
        words[0].nonzeroBitCount &+ words[1].nonzeroBitCount &+ words[2].nonzeroBitCount
            &+ words[3].nonzeroBitCount
    }

    @inline(__always)
    package func contains(_ slot: Int) -> Bool {
        words[slot >> 6] &>> UInt64(truncatingIfNeeded: slot & 63) & 1 == 1
    }

    @inline(__always)
    package mutating func insert(_ slot: Int) {
        words[slot >> 6] |= 1 &<< UInt64(truncatingIfNeeded: slot & 63)
    }

    @inline(__always)
    package mutating func clear() { words = .zero }

    /// Subtracts `other`.
    @inline(__always)
    package mutating func subtract(_ other: ClusterMask) { words &= ~other.words }

    /// Calls `body` with each slot, ascending, until it returns false.
    ///
    /// - Returns: whether every slot was visited.
    @inline(__always)
    @discardableResult
    package func forEach(_ body: (Int) throws -> Bool) rethrows -> Bool {
        for index in 0..<4 {
            var word = words[index]
            while word != 0 {
                let slot = index &* 64 &+ word.trailingZeroBitCount
                word &= word &- 1
                if try !body(slot) { return false }
            }
        }
        return true
    }

    /// Keeps the slots for which `test` holds, asking for the ones in the mask only.
    @inline(__always)
    package mutating func filter(_ test: (Int) -> Bool) {
        for index in 0..<4 {
            var word = words[index]
            var kept = word
            while word != 0 {
                let bit = word & (0 &- word)
                if !test(index &* 64 &+ word.trailingZeroBitCount) { kept &= ~bit }
                word &= word &- 1
            }
            words[index] = kept
        }
    }

    /// Keeps the slots for which `test` holds. If most slots below `count` are in the mask, it
    /// tests all of them, in a loop without branches: `test` must be cheap, and safe for all slots.
    @inline(__always)
    package mutating func scan(count: Int, _ test: (Int) -> Bool) {
        for index in 0..<4 {
            let candidates = words[index]
            if candidates == 0 { continue }
            let start = index &* 64
            let length = min(64, count &- start)
            var bits: UInt64 = 0
            if candidates.nonzeroBitCount &* 4 < length {
                var word = candidates
                while word != 0 {
                    let offset = word.trailingZeroBitCount
                    if test(start &+ offset) { bits |= word & (0 &- word) }
                    word &= word &- 1
                }
            } else {
                var offset = 0
                while offset < length {
                    let hit: UInt64 = test(start &+ offset) ? 1 : 0
                    bits |= hit &<< UInt64(truncatingIfNeeded: offset)
                    offset &+= 1
                }
            }
            words[index] = candidates & bits
        }
    }

    /// The null rows of `column` in `cluster`.
    @inline(__always)
    package static func nulls(_ column: Int, _ cluster: Cluster) -> ClusterMask {
        ClusterMask(
            words: SIMD4(
                cluster.nullWord(column, 0), cluster.nullWord(column, 1),
                cluster.nullWord(column, 2), cluster.nullWord(column, 3)))
    }

    /// Narrows by `test` on the rows that have a value; `nulls` says whether null rows are kept.
    @inline(__always)
    package mutating func narrow(
        nullable: Bool, matchesNull: Bool, _ column: Int, _ cluster: Cluster,
        _ test: (inout ClusterMask) -> Void
    ) {
        guard nullable else { return test(&self) }
        let nulls = ClusterMask.nulls(column, cluster)
        let nullHits = ClusterMask(words: matchesNull ? words & nulls.words : .zero)
        subtract(nulls)
        if !isEmpty { test(&self) }
        words |= nullHits.words
    }
}
