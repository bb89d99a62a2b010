import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which files occupy a small file system, for the report of a refusal.
enum DiskUse {
    /// The free space below `directory`, the size of each file there, and the removed files that
    /// this process still has open.
    static func describe(_ directory: String) -> String {
        #if os(Linux)
            var system = statvfs()
            guard statvfs(directory, &system) == 0 else { return "no file system" }
            let block = Int(system.f_frsize)
            let free = Int(system.f_bavail) * block
            let held = files(below: directory) + removedFiles(below: directory)
            return "\(free) bytes of \(Int(system.f_blocks) * block) are free; "
                + held.joined(separator: ", ")
        #else
            return ""
        #endif
    }

    #if os(Linux)
        private static func files(below directory: String) -> [String] {
            let names = FileManager.default.enumerator(atPath: directory)?.compactMap {
                $0 as? String
            }
            return (names ?? []).sorted().compactMap { name in
                size(directory + "/" + name).map { "\(name) \($0)" }
            }
        }

        private static func removedFiles(below directory: String) -> [String] {
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))
            return (numbers ?? []).compactMap { number in
                let path = "/proc/self/fd/\(number)"
                let target =
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? ""
                guard target.hasPrefix(directory + "/"), target.hasSuffix(" (deleted)") else {
                    return nil
                }
                return size(path).map { "\(target.dropFirst(directory.count + 1)) \($0)" }
            }
        }

        /// The length and the allocated size of a file.
        private static func size(_ path: String) -> String? {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return "\(status.st_size)/\(Int(status.st_blocks) * 512)"
        }
    #endif
}
