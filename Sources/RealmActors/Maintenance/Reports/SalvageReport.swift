import Storage

/// The result of ``Realm/salvage(from:to:objectTypes:encryptionKey:progress:)``: what was kept of a
/// damaged realm and what was lost.
public struct SalvageReport: Sendable, Hashable {
    /// Objects in the new realm, by the name of their class.
    public let objects: [String: Int]
    /// Commits that were read.
    public let commits: Int
    /// Commits that could be read only in part, or not at all.
    public let incompleteCommits: Int
    /// Gaps in the history where commits are missing, a missing end included.
    public let gaps: Int
    /// Changes that were left out, because their object is lost.
    public let droppedChanges: Int
    /// Objects that were left out: a later one has their primary key or their values in a unique
    /// index, or they are embedded and their owner is lost.
    public let droppedObjects: Int
    /// Links that were removed or set to null, because their target is lost.
    public let droppedLinks: Int
    /// The parts of files that could not be read.
    public let lostRanges: [LostRange]

    /// Whether the new realm has everything that the old one had.
    public let isComplete: Bool

    /// A part of a file with contents that could not be read.
    public struct LostRange: Sendable, Hashable {
        /// The file, or the folder of files that is missing.
        public let file: String
        /// The bytes in it; empty where the file could not even be opened.
        public let bytes: Range<Int>
    }
}

extension SalvageReport: CustomStringConvertible {
    /// The report as text.
    public var description: String {
        let kept = objects.values.reduce(0, +)
        if isComplete { return "All \(kept) objects of \(commits) commits were read." }
        let bytes = lostRanges.reduce(0) { $0 + $1.bytes.count }
        return "\(kept) objects of \(commits) commits were read. Lost: \(bytes) bytes in "
            + "\(lostRanges.count) places, \(incompleteCommits) commits in part, \(gaps) gaps in "
            + "the history, \(droppedChanges) changes, \(droppedObjects) objects, "
            + "\(droppedLinks) links."
    }
}

extension SalvageReport {
    init(_ outcome: SalvageOutcome) {
        objects = Dictionary(
            outcome.rows.map { (outcome.schema[$0].name, $1) }, uniquingKeysWith: { a, _ in a })
        commits = outcome.commits
        incompleteCommits = outcome.incompleteCommits
        gaps = outcome.gaps
        droppedChanges = outcome.droppedChanges
        droppedObjects = outcome.droppedRows
        droppedLinks = outcome.droppedLinks
        lostRanges = outcome.lostRanges.map { LostRange(file: $0.file, bytes: $0.bytes) }
        isComplete = outcome.isComplete
    }
}
