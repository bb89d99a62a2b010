import Foundation
package import Storage
import Synchronization

extension Realm {
    /// Where a realm is, what it holds, and how it behaves. A value: later changes affect later
    /// openings only.
    ///
    ///     let configuration = Realm.Configuration(path: "kennel.realm", objectTypes: [Dog.self])
    public struct Configuration: Sendable {
        /// The folder of the realm; nil for a realm in memory.
        public var path: String?
        /// The name under which tasks of this process share a realm in memory, which is gone with
        /// its last handle; nil for a realm on disk.
        public var inMemoryIdentifier: String?
        /// The models, with every class that they link to.
        public var objectTypes: [ObjectBase.Type]
        /// How many versions may be held at once, the newest included; nil for no limit.
        public var maximumNumberOfActiveVersions: UInt?
        /// What a write does when more versions are held.
        public var activeVersionPolicy: ActiveVersionPolicy
        /// When a write counts as done.
        public var durability: Durability
        /// How long a write waits for its turn behind others before it throws
        /// ``RealmError/writerBusy(holder:)``; nil for as long as it takes.
        public var writeTimeout: Duration?
        /// Bytes of memory that what is read from the disk may take before the realm gives up what
        /// it can read again; nil for a quarter of the machine's memory.
        ///
        /// What a running write has changed and what is not yet in the page files may pass it.
        public var memoryBudget: Int?
        /// How long commits are kept for ``Realm/commits(since:)``.
        public var history: History
        /// What the realm is encrypted with; nil for one that is not. A realm is made encrypted
        /// or not, and opened as it was made. In memory nothing is encrypted, and any key will do.
        public var encryptionKey: EncryptionKey?
        /// Whether to open without the right, and the need, to write anything.
        public var readOnly: Bool

        /// The disk; another one than the operating system's only in tests.
        package var fileSystem: any FileSystem = POSIXFileSystem()
        /// What is large and what is small; other than usual only in tests.
        package var logOptions = LogOptions()

        /// A configuration; what is not given is as in Realm.
        public init(
            path: String? = nil, inMemoryIdentifier: String? = nil,
            objectTypes: [ObjectBase.Type] = [], readOnly: Bool = false,
            encryptionKey: EncryptionKey? = nil,
            maximumNumberOfActiveVersions: UInt? = nil,
            activeVersionPolicy: ActiveVersionPolicy = .fail, durability: Durability = .fsync,
            writeTimeout: Duration? = .seconds(30), memoryBudget: Int? = nil,
            history: History = .untilCompacted
        ) {
            self.path = path
            self.inMemoryIdentifier = inMemoryIdentifier
            self.objectTypes = objectTypes
            self.memoryBudget = memoryBudget
            self.readOnly = readOnly
            self.encryptionKey = encryptionKey
            self.maximumNumberOfActiveVersions = maximumNumberOfActiveVersions
            self.activeVersionPolicy = activeVersionPolicy
            self.durability = durability
            self.writeTimeout = writeTimeout
            self.history = history
        }

        private static let shared = Mutex(Configuration())

        /// What ``Realm/open(_:)`` uses when it is given nothing.
        public static var `default`: Configuration {
            get { shared.withLock { $0 } }
            set { shared.withLock { $0 = newValue } }
        }
    }

    /// Where the default configuration keeps its realm.
    public static var defaultPath: String { "default.realm" }

    /// Whether there is a realm at `path`.
    public static func exists(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/superblock")
            || FileManager.default.fileExists(atPath: path + "/log")
    }
}

extension Realm.Configuration {
    /// When a write counts as done.
    public enum Durability: Sendable, Hashable {
        /// When the medium has it: the data survives a crash of the machine.
        case fsync
        /// When the operating system has it, which survives the death of the process. The medium
        /// gets it at the latest after the given time; a crash of the machine leaves a prefix of
        /// the commits.
        case relaxed(every: Duration)
    }

    /// What a write does when more versions are held than allowed.
    public enum ActiveVersionPolicy: Sendable, Hashable {
        /// It throws ``RealmError/tooManyActiveVersions(active:limit:holders:)`` at once.
        case fail
        /// It waits for a version to be let go, and throws after the given time.
        case wait(upTo: Duration)
    }
}
