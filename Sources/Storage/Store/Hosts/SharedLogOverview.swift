/// An overview of a shared log and of the hosts that append to it.
package struct SharedLogOverview: Sendable, Hashable {
    /// A host that has appended something.
    package struct Host: Sendable, Hashable {
        package let host: Bits128
        /// The newest entry that it has appended.
        package var slot: LogSlot
        /// The version after that entry.
        package var version: Version
    }

    package let head: SharedLogHead
    /// The newest entry; nil for a log without any.
    package private(set) var newest: SharedEntry?
    /// The hosts that have appended the examined entries, the last one first.
    package private(set) var hosts: [Host] = []
    /// The images that are complete, the newest first.
    package let images: [SharedLogImage]

    /// Examines the newest `entries` of a log. Only their headers are read, so no key is needed.
    /// Blocks on the engine: not for the cooperative pool.
    package init(
        of log: any SharedLog, entries: Int, monitor: ReadingMonitor
    ) throws(StorageError) {
        do throws(SharedLogError) {
            head = try log.head()
            images = try log.images()
        } catch {
            throw StorageError(error)
        }
        let first = head.first.rawValue
        let count = min(UInt64(max(entries, 1)), head.next.rawValue - first)
        var slot = LogSlot(head.next.rawValue - count)
        var known: [Bits128: Host] = [:]
        while slot < head.next {
            if monitor.isCancelled { throw .invalid("It was cancelled.") }
            let entries: [SharedLogEntry]
            do throws(StorageError) {
                entries = try Self.entries(of: log, from: slot)
            } catch .sharedLogTrimmed(let first) {
                // It was removed meanwhile, and perhaps later ones, too.
                slot = max(slot.next, LogSlot(first))
                continue
            }
            // Others append meanwhile.
            for entry in entries where entry.slot < head.next {
                let found: SharedEntry
                do throws(SharedEntryError) {
                    found = try SharedEntry(headerOf: entry.bytes)
                } catch {
                    throw error.storageError(at: entry.slot)
                }
                known[found.host] = Host(
                    host: found.host, slot: entry.slot, version: Version(found.versionBehind))
                newest = found
                slot = entry.slot.next
            }
        }
        hosts = known.values.sorted { $0.slot > $1.slot }
    }

    private static func entries(
        of log: any SharedLog, from slot: LogSlot
    ) throws(StorageError) -> [SharedLogEntry] {
        do throws(SharedLogError) {
            let found = try log.entries(from: slot, prefix: SharedEntry.headerSize)
            if found.isEmpty { throw .refused("The entry of slot \(slot) is missing.") }
            return found
        } catch {
            throw StorageError(error)
        }
    }
}

extension SharedEntry {
    /// The version of a host that has read this entry: a part of a group commits nothing.
    package var versionBehind: UInt64 {
        kind == .part && firstVersion > 0 ? firstVersion - 1 : lastVersion
    }
}

/// How much of a shared log the folder of a realm, which is a copy of it, has.
package struct SharedCopyPlace: Sendable, Hashable {
    /// The host whose folder it is.
    package let host: Bits128
    /// The next slot: the log was read up to there, or a little further.
    package let next: LogSlot
    package let version: Version

    /// Nil for a folder that is not a copy of a shared log. Reads no other file of the realm.
    package init?(
        of directory: String, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        let store = StoreDirectory(fileSystem: fileSystem, path: directory)
        guard let file = try SharedRealmFile.read(in: store) else { return nil }
        host = file.host
        next = file.cursor.next
        version = file.cursor.version
    }
}
