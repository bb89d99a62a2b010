/// A transaction that has ended, with a durable commit or without a commit: see ``RealmMonitor``.
/// One that could not begin, or whose commit failed, is not reported.
public struct TransactionEvent: Sendable {
    /// The version that it made; nil when it changed nothing or threw.
    public let version: Realm.Version?
    /// The tag of the write.
    public let author: String?
    /// Where the write was called; nil for the import of a `.realm` file, and for a write of a live
    /// realm that was begun and committed by separate calls.
    public let call: CallSite?
    /// How long it waited to begin: for other writers, other processes, and memory.
    public let wait: Duration
    /// How long its body ran.
    public let body: Duration
    /// How long its group took to become durable after it was handed to the log; zero when it made
    /// no commit. A transaction may wait for the group before its own as well. With relaxed
    /// durability it is the whole time after the body.
    public let sync: Duration
    /// From the call until it was durable.
    public let duration: Duration
    /// How many commits became durable together, this one included; zero when it made none.
    public let groupSize: Int
}

/// A checkpoint, see ``RealmMonitor``.
public struct CheckpointEvent: Sendable {
    /// The version that it stores.
    public let version: Realm.Version
    /// Bytes of the page files that it uses.
    public let liveBytes: Int
    /// Bytes of the page files, unused ones included.
    public let storedBytes: Int
    /// How long it took.
    public let duration: Duration
}

/// A compaction, see ``RealmMonitor``.
public struct CompactionEvent: Sendable {
    /// Whether it was requested or space was short; otherwise a checkpoint found much unused space.
    public let isFull: Bool
    /// Bytes of the page files before it.
    public let bytesBefore: Int
    /// Bytes of the page files after it.
    public let bytesAfter: Int
    /// How long it took, with its waits for writers.
    public let duration: Duration
}

/// How nodes that were not in memory as part of the tree were found, see ``RealmMonitor``.
public struct CacheEvent: Sendable {
    /// How many were in the cache of nodes, which there is once the memory budget is spent.
    public let hits: Int
    /// How many were read from the page files.
    public let misses: Int
    /// Bytes of nodes in memory.
    public let residentBytes: Int
}

/// A change stream whose consumer does not request what is due, see ``RealmMonitor``.
public struct StreamLagEvent: Sendable {
    /// The classes that it watches.
    public let classNames: [String]
    /// How many elements are due; one in a stream that merges them.
    public let elements: Int
    /// For how long that has been observed.
    public let lag: Duration
}

/// A move of the writer lease, see ``RealmMonitor``.
public enum LeaseEvent: Sendable, Hashable {
    /// This process acquired it, after waiting for another one.
    case acquired(wait: Duration)
    /// This process released it to another one, after holding it for `held`.
    case released(held: Duration)
}

/// Where in a program something was called.
public struct CallSite: Sendable, CustomStringConvertible {
    /// The module and the file.
    public let fileID: StaticString
    /// The line in that.
    public let line: UInt

    /// File and line.
    public var description: String { "\(fileID):\(line)" }
}
