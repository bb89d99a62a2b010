/// The outcome of a salvage: what was found, kept and lost.
package struct SalvageOutcome: Sendable {
    /// Bytes of a file that are neither zero nor part of anything that verifies.
    package struct LostRange: Sendable, Hashable {
        package let file: String
        /// Empty if not even the length of the file is known.
        package let bytes: Range<Int>

        init(file: String, bytes: Range<Int>) {
            self.file = file
            self.bytes = bytes
        }

        /// A file that cannot be opened, or a folder that cannot be listed.
        init(whole path: String) { self.init(file: path, bytes: 0..<0) }
    }

    /// The schema of the new store.
    package internal(set) var schema = StoreSchema()
    /// Objects in the new store, by class.
    package internal(set) var rows: [ClassID: Int] = [:]
    /// Commits that were read.
    package internal(set) var commits = 0
    /// Commits that could be read only partly, or not at all.
    package internal(set) var incompleteCommits = 0
    /// Positions in the history where commits are missing; its end is one of them.
    package internal(set) var gaps = 0
    /// Changes of objects whose creation is lost, which were left out.
    package internal(set) var droppedChanges = 0
    /// Objects that were left out: a later one has their primary key, or their owner is lost.
    package internal(set) var droppedRows = 0
    /// Links that were removed, or are null, because they referred to an object that is lost.
    package internal(set) var droppedLinks = 0
    /// What could not be read.
    package internal(set) var lostRanges: [LostRange] = []

    /// Whether the new store has all that the damaged one had.
    package var isComplete: Bool {
        incompleteCommits == 0 && gaps == 0 && droppedChanges == 0 && droppedRows == 0
            && droppedLinks == 0 && lostRanges.isEmpty
    }
}
