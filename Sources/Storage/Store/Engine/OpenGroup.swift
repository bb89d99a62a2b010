/// The commits that are collected to become durable together.
///
/// It has one owner: the engine's lock, under which a thread may seal it or start it over,
/// or the body that runs, which takes it from there. So nothing of it is sealed or given up below a
/// running body, and that body needs no lock.
struct OpenGroup: ~Copyable {
    /// The version and the life of a commit.
    struct Tip {
        var version: Version
        /// In which life of the store it was made.
        var life: UInt64
    }

    var buffer = CommitGroupBuffer()
    private var commits: [CollectedCommit] = []
    /// What its commits have spilled.
    private var spills: [Spill] = []
    /// The last commit, in the group or before it.
    private(set) var tip: Tip
    /// The life that this process's commits are of.
    var life: UInt64
    /// The tree to go back to when a body throws: that with which the group began, or that of its
    /// last commit without values.
    private(set) var base: SnapshotRoot
    /// The version of the last commit of the group, where that was captured.
    private var last: SnapshotRoot?
    /// The commits of the group that are not in ``base``.
    private var baseMark = GroupMark.start
    /// The version that the running body would make.
    private(set) var bodyVersion: Version
    /// The newest version that was disclosed to a body. The body may have passed it on, so that no
    /// other commit ever gets the number.
    private var shown = Version.zero
    /// Memory that the store's nodes had taken in all when the transaction began.
    var bytesBefore = 0

    init(on root: SnapshotRoot, life: UInt64) {
        tip = Tip(version: root.version, life: root.life)
        self.life = life
        base = root
        bodyVersion = root.version.next
    }

    /// Gives the running body its version.
    mutating func beginVersion() { bodyVersion = max(tip.version, shown).next }

    /// The version that the running body would make; it makes this one or none, and nobody else
    /// does.
    mutating func showVersion() -> Version {
        shown = max(shown, bodyVersion)
        return bodyVersion
    }

    /// The running body has made its version; what it does from here on would make another.
    mutating func endVersion() { bodyVersion = max(bodyVersion, shown).next }

    /// The version that the running body began with; nil when it is one within a group that nobody
    /// had asked for when it was made.
    var before: SnapshotRoot? {
        if base.version == tip.version { return base }
        return last?.version == tip.version ? last : nil
    }

    /// The records of the commits that are not in ``base``.
    var recordsSinceBase: GroupRecords { GroupRecords(buffer.payload(since: baseMark)) }

    /// Adds a commit whose record is in the buffer. `hasTree`: its record has no values, so that
    /// `root` has to be written with the group.
    mutating func append(_ commit: CollectedCommit, spill: Spill?, hasTree: Bool) {
        if let spill { spills.append(spill) }
        if !commit.delta.onlyDeletes { buffer.onlyDeletes = false }
        last = commit.root
        commits.append(commit)
        tip = Tip(version: commit.version, life: life)
        endVersion()
        guard hasTree, let root = commit.root else { return }
        buffer.needsTree = true
        // Its record has nothing to apply again.
        base = root
        baseMark = buffer.mark
    }

    /// Takes the group out, to be written with `root`, the tree that it has made, and begins the
    /// next one in `spare`.
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

    /// Forgets all commits and goes on from `root`. Returns what was spilled for nothing.
    mutating func startOver(from root: SnapshotRoot) -> [Spill] {
        let abandoned = spills
        buffer.reset()
        tip = Tip(version: root.version, life: root.life)
        rebase(on: root)
        return abandoned
    }

    /// Goes on from another tree of the same commits.
    mutating func replaceBase(by root: SnapshotRoot) { base = root }

    private mutating func rebase(on root: SnapshotRoot) {
        commits = []
        spills = []
        base = root
        last = nil
        baseMark = .start
    }
}

/// A group that is on its way to the disk.
struct SealedGroup: Sendable {
    let root: SnapshotRoot
    let changes: [CommitChanges]
    /// What its commits have written to the page files already.
    let spills: [Spill]
    /// When it was handed to the log, as ``GroupFigures/now``; nil when nobody measures.
    var submitted: Duration?
}
