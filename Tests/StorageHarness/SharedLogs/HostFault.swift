/// A fault of a schedule of hosts that takes effect only under some conditions, and is counted when
/// it does.
package enum HostFault: Sendable, Hashable, CaseIterable {
    /// A read of entries has missed the newest ones.
    case staleRead
    /// A host's disk was full: a call was refused that would have written to it.
    case fullDisk
    /// Entries, or an image, were trimmed between two calls of a host that read them.
    case trimmedRead
    /// A host's process has died when it was about to append to the shared log.
    case deathBeforeAppend
    /// A host's process has died when the shared log had its entry, before its folder had it.
    case deathAfterAppend
}
