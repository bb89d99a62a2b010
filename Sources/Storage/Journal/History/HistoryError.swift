/// Why a part of the history cannot be read.
package enum HistoryError: Error, Sendable {
    /// The log no longer has the commits after the requested version; it has those after `oldest`.
    case trimmed(oldest: Version)
    /// The requested version does not exist yet.
    case future(newest: Version)
    /// The requested version is now another commit: a crash has lost the first one with its number.
    case replaced(Version)
    /// The log lacks the old values of the commits up to the one that made `oldest`.
    case irreversible(oldest: Version)
    /// The store keeps no log, or was not opened to write it.
    case noLog
    case storage(StorageError)
}
