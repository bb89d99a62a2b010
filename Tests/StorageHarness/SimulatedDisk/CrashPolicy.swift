import Storage

/// What a power failure leaves of what was not synced.
package enum CrashPolicy: Sendable, Hashable, CaseIterable {
    /// Nothing: the medium holds exactly what was synced.
    case nothing
    /// Everything: the medium had caught up.
    case everything
    /// Any of it, in any order: sectors of 512 bytes as they were after any of their writes, torn
    /// inside; lengths without their data; names without their contents, and the reverse.
    case random
}

extension SimulatedContent {
    /// What an extension reads as whose length reached the medium and whose data did not.
    enum Fill: CaseIterable {
        case zeros, stale, noise

        func bytes(
            _ count: Int, _ stale: [UInt8], _ random: inout SeededGenerator
        ) -> [UInt8] {
            switch self {
            case .zeros: return [UInt8](repeating: 0, count: count)
            case .stale where stale.count >= SimulatedContent.sectorSize:
                let sectors = stale.count / SimulatedContent.sectorSize
                let start = random.next(below: sectors) * SimulatedContent.sectorSize
                return (0..<count).map { stale[(start + $0) % stale.count] }
            case .stale, .noise:
                return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
        }
    }

    /// Leaves what a crash does. `stale` is what the medium held before in blocks that were free.
    mutating func crash(
        _ policy: CrashPolicy, stale: [UInt8], _ random: inout SeededGenerator
    ) {
        switch policy {
        case .nothing: loseUnsynced()
        case .everything: keepUnsynced()
        case .random:
            if isShortened, random.oneIn(2) { shortenMedium() }
            extendSomewhat(stale, &random)
            switch random.next(below: 4) {
            case 0: break
            case 1: for sector in dirtySectors { keep(sector) }
            default: for sector in dirtySectors { keepSome(of: sector, &random) }
            }
            loseUnsynced()
        }
    }

    /// The length may be there without the data.
    private mutating func extendSomewhat(_ stale: [UInt8], _ random: inout SeededGenerator) {
        let grown = unsyncedLength
        guard grown > 0 else { return }
        let kept = [0, grown, random.next(below: grown + 1)][random.next(below: 3)]
        let fill = Fill.allCases[random.next(below: 3)]
        extendMedium(with: fill.bytes(kept, stale, &random))
    }

    /// All of a sector, nothing, a state between two of its writes, or the bytes on one side of a
    /// tear.
    private mutating func keepSome(of sector: Int, _ random: inout SeededGenerator) {
        let versions = olderVersions(of: sector)
        let tear = random.next(below: Self.sectorSize)
        switch random.next(below: 5) {
        case 0: break
        case 1: keep(sector, 0..<tear)
        case 2: keep(sector, tear..<Self.sectorSize)
        case 3 where !versions.isEmpty:
            keep(sector, 0..<Self.sectorSize, of: versions[random.next(below: versions.count)])
        default: keep(sector)
        }
    }
}
