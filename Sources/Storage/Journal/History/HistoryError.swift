/// Why a part of the history cannot be read.
package enum HistoryError: Error, Sendable {
    /// The log no longer has what came behind the version that was asked for; it has what came
    /// behind `oldest`.
    case trimmed(oldest: Version)
    /// The store has not come to the version that was asked for.
    case future(newest: Version)
    /// The commit with the number that was asked for is another one: a crash has taken the first
    /// back.
    case replaced(Version)
    /// The log lacks what the commits up to the one that made `oldest` have replaced.
    case irreversible(oldest: Version)
    /// The store keeps no log, or was not opened to write it.
    case noLog
    case storage(StorageError)
}
