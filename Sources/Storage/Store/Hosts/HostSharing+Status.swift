extension HostSharing {
    /// The status of this host in relation to the others.
    package struct Status: Sendable, Equatable {
        /// Whether the last call to the engine has succeeded, and its response was not stale.
        package var isConnected = true
        /// The host of the last entry that this one has applied; nil before the first entry.
        package var lastWriter: Bits128?
        /// The host that has the writer lease, as far as this one knows; nil if it does not.
        package var leaseHolder: Bits128?
        /// Entries of the log that this host has not applied, as far as it knows.
        package var entriesBehind = 0
        /// By how much the version of the newest entry that was examined is higher than that of
        /// this host.
        package var versionsBehind = 0
        /// Why the last attempt to apply entries in the background has failed; nil once entries are
        /// applied, or there are none. It is repeated unless the error has stopped the store.
        package var lastError: StorageError?

        package init() {}
    }
}
