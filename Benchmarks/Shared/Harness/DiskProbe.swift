import Foundation

/// How often this disk syncs when nothing but the disk is in the way: the measure that durable
/// commits are compared with.
enum DiskProbe {
    /// The disk refused a call of the probe.
    struct Failure: Error, CustomStringConvertible {
        let call: String
        let code: Int32
        var description: String { "\(call) failed with errno \(code)" }
    }

    /// What the output calls it.
    static let row = "w02_raw_append128"

    /// The rate as a row; it is taken before and after what it is compared with.
    static func measure(
        _ when: String, in folder: URL, seconds: Double
    ) throws -> Measurement {
        let rate = try appendsPerSecond(in: folder, seconds: min(1, seconds))
        return Measurement(row, rate, "syncs/s", check: .note(when))
    }

    /// Appends of 128 bytes, each synced, per second, into a file that was already written, so that
    /// no metadata has to be flushed with them.
    private static func appendsPerSecond(in folder: URL, seconds: Double) throws -> Double {
        let path = folder.appendingPathComponent("probe-\(UUID().uuidString)").path
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(call: "open", code: errno) }
        defer {
            close(file)
            unlink(path)
        }
        let size = 64 << 20
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for offset in stride(from: 0, to: size, by: zeros.count) {
            try write(zeros, to: file, at: offset)
        }
        try sync(file)

        let record = [UInt8](repeating: 7, count: 128)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        var count = 0
        while clock.now < end {
            try write(record, to: file, at: count * record.count % size)
            try sync(file)
            count += 1
        }
        return Double(count) / (clock.now - start).inSeconds
    }

    private static func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws {
        guard pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw Failure(call: "pwrite", code: errno)
        }
    }

    private static func sync(_ file: Int32) throws {
        #if os(Linux)
            guard fdatasync(file) == 0 else { throw Failure(call: "fdatasync", code: errno) }
        #else
            guard fcntl(file, F_FULLFSYNC) != -1 else {
                throw Failure(call: "fcntl(F_FULLFSYNC)", code: errno)
            }
        #endif
    }
}
