import StorageHarness
import Testing

@testable import Storage

extension UserKey {
    /// A key for tests.
    static func made(_ seed: UInt8 = 1) throws -> UserKey {
        try #require(UserKey((0..<64).map { $0 &* 7 &+ seed }))
    }
}

extension LogOptions {
    /// The same options, with a key.
    func encrypted(_ key: UserKey?) -> LogOptions {
        var options = self
        options.encryptionKey = key
        return options
    }
}

// Unsafe: buffers that live through the calls which read or write them.
extension FileSystem {
    /// The contents of a file.
    func bytes(of path: String) throws -> [UInt8] {
        let file = try open(path, .readOnly)
        let buffer = AlignedBuffer(capacity: try file.size().length)
        let count = try file.read(into: buffer.bytes, at: 0)
        return Array(UnsafeRawBufferPointer(buffer.bytes).slice(0..<count))
    }

    /// Overwrites a part of a file.
    func overwrite(_ path: String, with bytes: [UInt8], at offset: Int = 0) throws {
        try bytes.withUnsafeBytes { try open(path, .readWrite).write($0, at: offset) }
    }
}
