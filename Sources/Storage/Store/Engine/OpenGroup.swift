/// The commits that are collected for one group.
///
/// It has one owner: the engine's lock, under which a thread may seal or restart it, or the running
/// body, which takes it from there. So it is never sealed or discarded during a body, and the body
/// needs no lock.
struct OpenGroup: ~Copyable {
    /// The version of a commit, and its writer.
    struct Tip {
        var version: Version
        /// The ``Journal/life`` of the commit.
        var life: UInt64
    }

    var buffer = CommitGroupBuffer()
    private var commits: [CollectedCommit] = []
    /// The spills of its commits.
    private var spills: [Spill] = []
    /// The last commit, in the group or before it.
    private(set) var tip: Tip
    /// The ``Journal/life`` of this process's commits.
    var life: UInt64
    /// The tree to roll back to when a body throws: that at the start of the group, of its last
    /// page commit, or of the last step of a compaction.
    private(set) var base: SnapshotRoot
    /// The version of the group's last commit, if that was captured.
    private var last: SnapshotRoot?
    /// The commits of the group that are not in ``base``.
    private var baseMark = GroupMark.start
    /// The version that the running body would make.
    private(set) var bodyVersion: Version
    /// The newest version that was disclosed to a body. The body may have passed it on, so no other
    /// commit may get the number.
    private var shown = Version.zero
    /// The total bytes of nodes ever allocated by the store when the transaction began.
    var bytesBefore = 0

    init(on root: SnapshotRoot, life: UInt64) {
        tip = Tip(version: root.version, life: root.life)
        self.life = life
        base = root
        bodyVersion = root.version.next
    }

    /// Assigns the version of the running body.
    mutating func beginVersion() { bodyVersion = max(tip.version, shown).next }

    /// Discloses the version that the running body would make: from then on, no other commit gets
    /// it.
    mutating func discloseVersion() -> Version {
        shown = max(shown, bodyVersion)
        return bodyVersion
    }

    /// The running body has made its version; further changes would make another.
    mutating func endVersion() { bodyVersion = max(bodyVersion, shown).next }

    /// The version that the running body began with; nil if it is within a group and was not
    /// captured.
    var before: SnapshotRoot? {
        if base.version == tip.version { return base }
        return last?.version == tip.version ? last : nil
    }

    /// The records of the commits that are not in ``base``.
    var recordsSinceBase: GroupRecords { GroupRecords(buffer.payload(since: baseMark)) }

    /// Adds a commit whose record is in the buffer. `hasTree`: it is a page commit, so `root` has
    /// to be written with the group.
    mutating func append(_ commit: CollectedCommit, spill: Spill?, hasTree: Bool) {
        if let spill { spills.append(spill) }
        if !commit.delta.onlyDeletes { buffer.onlyDeletes = false }
        last = commit.root
        commits.append(commit)
        tip = Tip(version: commit.version, life: life)
        endVersion()
        guard hasTree, let root = commit.root else { return }
        buffer.needsTree = true
        // Its record cannot be applied again.
        advanceBase(to: root)
    }

    /// From now on a rollback goes back to `root`, which has all commits of the group.
    mutating func advanceBase(to root: SnapshotRoot) {
        base = root
        baseMark = buffer.mark
    }

    /// Seals the group, to be written with `root`, its tree, and begins the next one in `spare`.
    mutating func seal(
        _ root: SnapshotRoot, spare: CommitGroupBuffer?
    ) -> (group: SealedGroup, buffer: CommitGroupBuffer) {
        let sealed = SealedGroup(
            root: root, changes: CommitChanges.all(of: commits, groupRoot: root), spills: spills)
        let full = buffer
        buffer = spare ?? CommitGroupBuffer()
        rebase(on: root)
        return (sealed, full)
    }

    /// Discards all commits and continues with `root`. Returns their spills.
    mutating func restart(from root: SnapshotRoot) -> [Spill] {
        let abandoned = spills
        buffer.reset()
        tip = Tip(version: root.version, life: root.life)
        rebase(on: root)
        return abandoned
    }

    /// Replaces the tree with another one of the same commits.
    mutating func replaceBase(by root: SnapshotRoot) { base = root }

    private mutating func rebase(on root: SnapshotRoot) {
        commits = []
        spills = []
        base = root
        last = nil
        baseMark = .start
    }
}

/// A group that is being written.
struct SealedGroup: Sendable {
    let root: SnapshotRoot
    let changes: [CommitChanges]
    /// The spills of its commits.
    let spills: [Spill]
    /// When it was submitted to the log; nil unless measured.
    var submitted: Instant?
}
