import Storage

/// What the commits since a stream's last element touched, merged when asked for.
///
/// Taking note of a commit shares its marks, it copies nothing. When many have come, they are
/// folded into one set per class, so that the memory of a stream that sleeps is bounded by the rows
/// it watches; past ``rowLimit`` rows it only records that anything may have changed.
struct PendingMarks: Sendable {
    /// How many marks are noted before they are folded.
    static let foldLimit = 1024
    /// How many rows are kept at most.
    static let rowLimit = 1 << 16

    private var commits: [[ClassID: ClassChanges]] = []
    private var weight = 0
    private var folded = MergedMarks()

    init() {}

    /// How many marks are kept: never many more than the two limits together.
    var count: Int { weight + folded.weight }

    /// Whether nothing was noted.
    var isEmpty: Bool { commits.isEmpty && folded.classes.isEmpty && !folded.isEverything }

    /// Takes note of a commit, of the classes in `watched`; true if it touches one of them.
    mutating func note(_ changes: ChangeSet, watched: Set<ClassID>) -> Bool {
        // Most commits touch no other class: all streams share what is known of those.
        let isShared = changes.classes.keys.allSatisfy(watched.contains)
        let classes =
            isShared ? changes.classes : changes.classes.filter { watched.contains($0.key) }
        if classes.isEmpty { return false }
        if folded.isEverything { return true }
        // Merging has the same result, and takes time proportional to the commit while the hub's
        // lock is held.
        if classes.values.contains(where: { $0.mergedWeightMin > Self.rowLimit }) {
            forgetRows()
            return true
        }
        commits.append(classes)
        weight += classes.values.reduce(1) { $0 + $1.count }
        if weight > Self.foldLimit { fold() }
        return true
    }

    private mutating func fold() {
        for classes in commits { folded.add(classes) }
        commits = []
        weight = 0
        if folded.weight > Self.rowLimit { forgetRows() }
    }

    private mutating func forgetRows() {
        commits = []
        weight = 0
        folded = .everything
    }

    /// The merged marks. Asked for without the hub's lock, by the consumer.
    consuming func merged() -> MergedMarks {
        fold()
        folded.joinEdits()
        return folded
    }
}

extension ClassChanges {
    /// How much is kept of the changes at least, whatever they are merged with.
    fileprivate var mergedWeightMin: Int {
        touched.count + deleted.count + sequenceEdits.values.reduce(0) { $0 + $1.count }
    }
}
