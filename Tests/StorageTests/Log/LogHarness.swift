import Foundation
import StorageHarness
import Testing

@testable import Storage

/// A commit of the tests.
struct TestCommit: Hashable {
    var version: Version
    var payload: [UInt8]

    /// A commit whose bytes are derived from its version and length.
    init(_ version: UInt64, length: Int) {
        self.version = Version(version)
        var random = SeededGenerator(seed: version)
        payload = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    init(_ view: CommitView) {
        version = view.version
        payload = Array(view.payload)
    }
}

extension CommitGroupBuffer {
    func append(_ commit: TestCommit) throws {
        // Unsafe: lent for the call, which copies the bytes.
        try commit.payload.withUnsafeBytes { bytes in
            try append(version: commit.version, payload: bytes)
        }
    }
}

extension LogOptions {
    /// Small segments and no background threads, so that every run is the same.
    static var small: LogOptions {
        var options = LogOptions()
        options.segmentSizeMin = 2048
        options.segmentSizeMax = 8192
        options.preparesInBackground = false
        return options
    }

    var reading: LogOptions {
        var options = self
        options.readOnly = true
        return options
    }
}

/// A log with the commits that were replayed from it.
struct OpenedLog {
    var log: Log
    var commits: [TestCommit]

    init(
        _ fileSystem: any FileSystem, _ directory: String = "store.realm",
        _ options: LogOptions = .small
    ) throws {
        var replayed: [TestCommit] = []
        log = try Log.open(fileSystem, directory: directory, options: options) {
            replayed.append(TestCommit($0))
        }
        commits = replayed
    }

    /// With `onlyDeletes`, the reserve for deletions may be used.
    func append(_ commits: [TestCommit], onlyDeletes: Bool = true) throws {
        let group = CommitGroupBuffer(capacity: 1024)
        group.onlyDeletes = onlyDeletes
        for commit in commits { try group.append(commit) }
        try log.append(group)
    }
}

/// The seeds of a random test: `SEED` replays one, `SEEDS` sets their number. A debug build takes
/// ten times as long, and may run fewer.
func testSeeds(_ count: Int, debug: Int? = nil) -> [UInt64] {
    #if DEBUG
        let count = debug ?? count
    #endif
    if let text = ProcessInfo.processInfo.environment["SEED"], let seed = UInt64(text) {
        return [seed]
    }
    let text = ProcessInfo.processInfo.environment["SEEDS"] ?? ""
    return Array(0..<(UInt64(text) ?? UInt64(count)))
}

/// Creates a temporary directory, which is removed at the end of the body.
func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = NSTemporaryDirectory() + "realm-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

func withTemporaryDirectory<R>(_ body: (String) async throws -> R) async throws -> R {
    let path = NSTemporaryDirectory() + "realm-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
