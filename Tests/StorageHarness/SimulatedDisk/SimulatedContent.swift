import Storage

/// What a file of the simulated disk holds, as readers see it and as it is on the medium.
struct SimulatedContent: Sendable {
    static let sectorSize = 512
    /// Unsynced states of one sector that are remembered.
    private static let versionCount = 3

    private(set) var bytes: [UInt8] = []
    private var durable: [UInt8] = []
    /// Sectors that the next sync has to write, each with states that it was in since the last one.
    private var dirty: [Int: [[UInt8]]] = [:]

    /// How often the medium did not store what was written, and whether the last failure was
    /// reported.
    private(set) var failureCount = 0
    private var isFailureReported = true

    /// The number of failures that are not reported through a file that is opened now.
    var failuresBeforeOpening: Int { isFailureReported ? failureCount : failureCount - 1 }

    /// Whether a sync has anything to do.
    var isDirty: Bool { !dirty.isEmpty || durable.count != bytes.count }

    mutating func write(_ source: SendableBytes, at offset: Int) {
        guard source.count > 0 else { return }
        markDirty(min(offset, bytes.count)..<offset + source.count)
        bytes.write(source, at: offset)
    }

    mutating func extend(to length: Int) {
        let start = bytes.count
        guard length > start else { return }
        markDirty(start..<length)
        bytes.extend(to: length)
    }

    /// The medium's file keeps its length until the next sync.
    mutating func shorten(to length: Int) {
        bytes.removeLast(max(0, bytes.count - length))
    }

    private mutating func markDirty(_ range: Range<Int>) {
        let size = Self.sectorSize
        for sector in range.lowerBound / size...(range.upperBound - 1) / size {
            guard var versions = dirty.removeValue(forKey: sector) else {
                dirty[sector] = []
                continue
            }
            let start = sector * size
            if start < bytes.count, versions.count < Self.versionCount {
                versions.append(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            dirty[sector] = versions
        }
    }

    mutating func sync() {
        durable.extend(to: bytes.count)
        shortenMedium()
        for sector in dirty.keys { keep(sector) }
        dirty.removeAll()
    }

    /// The medium did not take the bytes, and the system marks them clean.
    mutating func dropDirty() {
        dirty.removeAll()
        failureCount += 1
        isFailureReported = false
    }

    mutating func noteReportedFailure() { isFailureReported = true }

    mutating func flip(_ offset: Int, _ mask: UInt8) {
        guard bytes.indices.contains(offset), durable.indices.contains(offset) else { return }
        bytes[offset] ^= mask
        durable[offset] ^= mask
    }

    mutating func truncate(to length: Int) {
        bytes.removeLast(max(0, bytes.count - length))
        durable.removeLast(max(0, durable.count - length))
        dirty.removeAll()
    }
}

// MARK: - What a crash does

extension SimulatedContent {
    /// Bytes at the end that no sync has made part of the file.
    var unsyncedLength: Int { max(0, bytes.count - durable.count) }

    /// Whether the file was cut and no sync has made that so.
    var isShortened: Bool { bytes.count < durable.count }

    mutating func shortenMedium() { durable.removeLast(max(0, durable.count - bytes.count)) }

    var dirtySectors: [Int] { dirty.keys.sorted() }

    /// States that an unsynced sector was in before its present one.
    func olderVersions(of sector: Int) -> [[UInt8]] { dirty[sector] ?? [] }

    mutating func extendMedium(with fill: [UInt8]) { durable.append(contentsOf: fill) }

    mutating func keep(_ sector: Int) { keep(sector, 0..<Self.sectorSize) }

    /// A part of a sector reaches the medium, as far as the medium's file reaches.
    mutating func keep(_ sector: Int, _ part: Range<Int>) {
        let start = sector * Self.sectorSize
        let lower = start + part.lowerBound
        let upper = min(start + part.upperBound, durable.count, bytes.count)
        guard lower < upper else { return }
        durable.replaceSubrange(lower..<upper, with: bytes[lower..<upper])
    }

    /// As above, of an older state of the sector.
    mutating func keep(_ sector: Int, _ part: Range<Int>, of version: [UInt8]) {
        let start = sector * Self.sectorSize
        let count = min(part.upperBound, version.count, durable.count - start)
        guard part.lowerBound < count else { return }
        durable.replaceSubrange(
            start + part.lowerBound..<start + count, with: version[part.lowerBound..<count])
    }

    mutating func loseUnsynced() {
        bytes = durable
        dirty.removeAll()
    }

    mutating func keepUnsynced() { sync() }
}
