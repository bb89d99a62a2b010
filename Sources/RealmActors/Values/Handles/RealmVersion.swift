import Storage

extension Realm {
    /// The number of a committed state: every commit makes a greater one. The numbers of
    /// transactions that were rolled back may be missing.
    public struct Version: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
        /// The number.
        public let rawValue: UInt64

        init(_ version: Storage.Version) { rawValue = version.rawValue }

        /// The version with this number, for example from another process or a log file.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The order of commits.
        public static func < (a: Version, b: Version) -> Bool { a.rawValue < b.rawValue }

        /// The number.
        public var description: String { "\(rawValue)" }
    }
}
