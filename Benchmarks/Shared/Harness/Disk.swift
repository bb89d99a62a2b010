import Foundation

/// What the process and its files occupy.
enum Disk {
    /// The most memory that this process ever had resident.
    static var peakResidentBytes: Int {
        #if os(Linux)
            // What getrusage says begins with the parent's memory.
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return (kilobytes ?? 0) * 1024
        #else
            var usage = rusage()
            guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
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
