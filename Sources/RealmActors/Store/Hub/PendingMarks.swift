import Storage
import Synchronization

/// What the commits since a stream's last element touched, merged on demand.
///
/// Noting a commit shares its marks and copies nothing. When there are many, they are merged into
/// one set per class, so that the memory of a stream that is not consumed is bounded by the rows it
/// watches; past ``rowLimit`` rows it only records that anything may have changed. Streams that
/// have noted the same commits share that set: one of them makes it.
struct PendingMarks: Sendable {
    /// How many marks are noted before they are folded.
    static let foldLimit = 1024
    /// How many rows are kept at most.
    static let rowLimit = 1 << 16

    /// A commit, and what it did to the classes that are watched.
    private struct NotedCommit {
        let number: UInt64
        let classes: [ClassID: ClassChanges]
    }

    /// The only row whose marks are kept; nil to keep those of all rows.
    private let row: RowKey?
    private var commits: [NotedCommit] = []
    private var weight = 0
    private var folded = MergedMarks()
    /// Distinguishes `folded` from every other set that is not empty.
    private var foldedNumber: UInt64 = 0

    private static let newestFold = Atomic<UInt64>(0)

    /// Streams of one row note only commits of that row, each stream others: if they kept the marks
    /// of all rows, they could not share them.
    init(of row: RowKey? = nil) { self.row = row }

    /// How many marks are kept: never many more than the two limits together.
    var count: Int { weight + folded.weight }

    /// Whether nothing was noted.
    var isEmpty: Bool { commits.isEmpty && folded.classes.isEmpty && !folded.isEverything }

    /// Notes a commit, of the classes in `watched`; true if it touches one of them. `folds` has the
    /// sets that other streams have folded for this commit.
    mutating func note(
        _ changes: ChangeSet, watched: Set<ClassID>, sharing folds: SharedFolds? = nil
    ) -> Bool {
        // Most commits touch no other class, so that the streams can share their marks.
        let isShared = changes.classes.keys.allSatisfy(watched.contains)
        let classes =
            isShared ? changes.classes : changes.classes.filter { watched.contains($0.key) }
        if classes.isEmpty { return false }
        if folded.isEverything { return true }
        // Merging has the same result, and takes time proportional to the commit while the hub's
        // lock is held.
        if row == nil, classes.values.contains(where: { $0.mergedWeightMin > Self.rowLimit }) {
            forgetRows()
            return true
        }
        commits.append(NotedCommit(number: changes.number, classes: classes))
        weight += classes.values.reduce(1) { $0 + $1.count }
        if weight > Self.foldLimit { fold(of: watched, sharing: row == nil ? folds : nil) }
        return true
    }

    private mutating func fold(of watched: Set<ClassID>, sharing folds: SharedFolds?) {
        guard let folds else { return fold() }
        let inputs = SharedFolds.Inputs(
            folded: foldedNumber, commits: commits.map(\.number), watched: watched)
        if let known = folds[inputs] {
            forgetCommits()
            (folded, foldedNumber) = (known.marks, known.number)
        } else {
            fold()
            folds.note(SharedFolds.Fold(marks: folded, number: foldedNumber), of: inputs)
        }
    }

    private mutating func fold() {
        for commit in commits { folded.add(kept(commit.classes)) }
        forgetCommits()
        foldedNumber = Self.newestFold.wrappingAdd(1, ordering: .relaxed).newValue
        if folded.weight > Self.rowLimit { forgetRows() }
    }

    /// The marks of a commit that are kept.
    private func kept(_ classes: [ClassID: ClassChanges]) -> [ClassID: ClassChanges] {
        guard let row else { return classes }
        return classes.filter { $0.value.touches(row) }.mapValues { $0.limited(to: row) }
    }

    private mutating func forgetCommits() {
        commits = []
        weight = 0
    }

    private mutating func forgetRows() {
        forgetCommits()
        folded = .everything
    }

    /// The merged marks. Read without the hub's lock, by the consumer.
    consuming func merged() -> MergedMarks {
        fold()
        folded.joinEdits()
        return folded
    }
}

extension ClassChanges {
    /// The least weight of the changes, whatever they are merged with.
    fileprivate var mergedWeightMin: Int { touched.count + deleted.count + editCount }
}
