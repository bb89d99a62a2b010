import Foundation

/// What the process and its files occupy.
enum Disk {
    /// The most memory that this process ever had resident.
    static var peakResidentBytes: Int {
        var usage = rusage()
        #if canImport(Glibc)
            let me = __rusage_who_t(RUSAGE_SELF.rawValue)
        #else
            let me = RUSAGE_SELF
        #endif
        guard getrusage(me, &usage) == 0 else { return 0 }
        // Linux counts in kilobytes, Apple platforms in bytes.
        #if os(Linux)
            return usage.ru_maxrss * 1024
        #else
            return usage.ru_maxrss
        #endif
    }

    /// The blocks that the files of a folder occupy, in bytes.
    static func bytes(at path: String) -> Int { sizes(at: path).reduce(0, +) }

    /// The same, file by file.
    static func sizes(at path: String) -> [Int] {
        let names = FileManager.default.enumerator(atPath: path)?.allObjects ?? []
        return names.compactMap { name in
            var status = stat()
            guard stat("\(path)/\(name)", &status) == 0 else { return nil }
            return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_blocks) * 512 : nil
        }
    }
}
