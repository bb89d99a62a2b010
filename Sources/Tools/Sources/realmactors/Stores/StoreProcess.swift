import Foundation

#if canImport(Glibc)
    // Where `stat` stands on Linux.
    import CDispatch
    import Glibc
#endif

/// A process that has a store open, by what the system says of its open files.
///
/// The versions that a process holds are in its memory only. What an old one costs is visible from
/// outside: page files that were removed, whose space is not free while that process has them open.
struct StoreProcess: Encodable {
    let process: Int
    /// The name of its program.
    let program: String
    /// Whether it has the writer lease.
    let isWriter: Bool
    /// Page files that it has open.
    let pageFiles: Int
    /// Those of them that were removed.
    let removedPageFiles: Int
    /// Bytes of disk that the removed ones take.
    let removedPageBytes: Int
    /// When the first of them was removed: the process holds a version from before that, or did
    /// when it last closed files. Nil without any.
    let removedSince: Date?

    /// Whether it is the process that lists them.
    var isOwn: Bool { process == Int(ProcessInfo.processInfo.processIdentifier) }

    /// What is said of it to people.
    var text: String {
        let files = "\(pageFiles) page files open"
        let lease = isWriter ? ", holds the writer lease" : ""
        let kept = removedSince.map { since in
            ", of them \(removedPageFiles) removed since \(DateText.text(since)): a version from"
                + " before keeps \(readable(bytes: removedPageBytes))"
        }
        return "process \(process) (\(Cell.visible(program)))\(lease), \(files)\(kept ?? "")"
    }

    /// All whose files this user may see, by their numbers; nil where the system lists none.
    static func all(of store: String) -> [StoreProcess]? {
        #if os(Linux)
            guard let resolved = realpath(store, nil) else { return [] }
            defer { free(resolved) }
            let folder = String(cString: resolved)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.compactMap { Int($0) }.sorted().compactMap { StoreProcess($0, folder) }
        #else
            return nil
        #endif
    }

    #if os(Linux)
        /// Nil for a process that has nothing of the store open, has ended, or is another user's.
        private init?(_ number: Int, _ folder: String) {
            let files = FileManager.default
            let descriptors = "/proc/\(number)/fd"
            let names = (try? files.contentsOfDirectory(atPath: descriptors)) ?? []
            var hasLock = false
            var isThere = false
            var pages = Set<UInt64>()
            var removed: [(bytes: Int, time: Int)] = []
            for name in names {
                let descriptor = descriptors + "/" + name
                guard let path = try? files.destinationOfSymbolicLink(atPath: descriptor),
                    path.hasPrefix(folder + "/")
                else { continue }
                isThere = true
                if path == folder + "/writer.lock" { hasLock = true }
                let isRemoved = path.hasSuffix(".pages (deleted)")
                var status = stat()
                // One that is open twice counts once.
                guard isRemoved || path.hasSuffix(".pages"), stat(descriptor, &status) == 0,
                    pages.insert(UInt64(status.st_ino)).inserted
                else { continue }
                // The status of a removed file changed last when it was removed.
                if isRemoved {
                    removed.append((Int(status.st_blocks) * 512, Int(status.st_ctim.tv_sec)))
                }
            }
            guard isThere else { return nil }
            let program = try? files.destinationOfSymbolicLink(atPath: "/proc/\(number)/exe")
            process = number
            self.program = program.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
            isWriter = hasLock
            pageFiles = pages.count
            removedPageFiles = removed.count
            removedPageBytes = removed.reduce(0) { $0 + $1.bytes }
            removedSince = removed.map(\.time).min().map {
                Date(timeIntervalSince1970: TimeInterval($0))
            }
        }
    #endif
}
