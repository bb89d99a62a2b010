import Foundation
import RealmActors
import Storage
import StorageHarness

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Campaign {
    /// Full disks: a limit on the size of files, small file systems in memory if they may be
    /// mounted, and the simulated disk. Every other case fills the disk, deletes everything, and
    /// writes again.
    static let fullDisks = Campaign(
        id: "C11", title: "disks that fill up", unit: "full disks", shortCount: { 60 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: seed)
            if seed % 4 == 2 { return try WayOut.runSimulated(seed: seed) }
            if seed % 4 == 0 {
                let limit = (64 << 10) + random.next(below: 2 << 20)
                return try await fill(directory, fileSizeMax: limit)
            }
            if seed % 4 == 3 {
                return try await WayOut.runMounted(directory, seed: seed) ?? 0
            }
            let size = (1 << 20) + random.next(below: 5 << 20)
            guard SmallFileSystem.mount(directory, size: size) else {
                if seed == 1 { say("C11: no right to mount small file systems, SKIPPED") }
                return 0
            }
            defer { SmallFileSystem.unmount(directory) }
            return try await fill(directory, fileSizeMax: nil)
        }
    }

    private static func fill(_ directory: String, fileSizeMax: Int?) async throws -> Int {
        let path = directory + "/full.realm"
        var acknowledged = 0
        for round in 0..<2 {
            let arguments = ["child-filler", path, fileSizeMax.map { "\($0)" } ?? "none"]
            let outcome = await (try ChildProcess(arguments)).wait()
            acknowledged = max(acknowledged, outcome.acknowledged)
            if let problem = outcome.lines.first(where: { $0.hasPrefix("problem") }) {
                throw Violation("round \(round), the child says \(problem)")
            }
            if outcome.status != 0 { throw Violation("the child ended with \(outcome.status)") }
            guard Realm.exists(at: path) else { continue }
            acknowledged = try await Ledger.check(
                Ledger.configuration(path), acknowledged: acknowledged, writes: false)
        }
        return 1
    }
}

/// A small file system in memory, if this user may mount one.
enum SmallFileSystem {
    static func mount(_ path: String, size: Int) -> Bool {
        #if os(Linux)
            return Glibc.mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0
        #else
            return false
        #endif
    }

    static func unmount(_ path: String) {
        #if os(Linux)
            _ = umount2(path, Int32(MNT_DETACH))
        #endif
    }
}
