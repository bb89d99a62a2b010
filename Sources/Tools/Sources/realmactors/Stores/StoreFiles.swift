import Foundation

/// The files of a store, as its folder shows them: see Documentation/FileFormat.md.
struct StoreFiles: Encodable {
    let path: String
    /// The version of the format; nil where the superblock is lost.
    let format: Int?
    let logSegments: Int
    let logBytes: Int
    let pageSegments: Int
    let pageBytes: Int
    let lastWritten: Date?
    /// When the superblock was written that names the latest checkpoint; nil before the first.
    let lastCheckpoint: Date?
    /// The process that has the writer lease or had it last; nil when it runs no longer.
    let writer: Int?

    init(_ path: String) {
        let log = Self.files(path + "/log", "log")
        let pages = Self.files(path + "/pages", "pages")
        self.path = path
        logSegments = log.count
        logBytes = log.reduce(0) { $0 + $1.bytes }
        pageSegments = pages.count
        pageBytes = pages.reduce(0) { $0 + $1.bytes }
        lastWritten = (log + pages).map(\.date).max()
        let superblock = Superblock(path + "/superblock")
        format = superblock?.format
        lastCheckpoint = superblock?.checkpointDate
        let lock = FileManager.default.contents(atPath: path + "/writer.lock") ?? Data()
        let text = String(decoding: lock, as: UTF8.self)
        let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        // A process of the same machine that has ended writes no more.
        let isRunning = number > 0 && (kill(number, 0) == 0 || errno == EPERM)
        writer = isRunning ? Int(number) : nil
    }

    /// Whether other programs write it: a backup that the next one continues, unless it was written
    /// to in between, or the folder of a host on a shared log.
    static func isWrittenElsewhere(_ path: String) -> Bool {
        ["backup", "shared"].contains { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
    }

    private static func files(
        _ folder: String, _ suffix: String
    ) -> [(bytes: Int, date: Date)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix("." + suffix) }.compactMap { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            guard let bytes = attributes?[.size] as? Int,
                let date = attributes?[.modificationDate] as? Date
            else { return nil }
            return (bytes, date)
        }
    }
}

/// What the superblock of a store says that could be opened.
private struct Superblock {
    let format: Int
    /// When it was written, which every checkpoint does; nil before the first.
    let checkpointDate: Date?

    init?(_ path: String) {
        let bytes = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
        func number(_ offset: Int, bytes count: Int) -> UInt64 {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        // Each slot has its generation, of which the newest counts.
        let slots = stride(from: 0, to: bytes.count - 4095, by: 4096)
        guard
            let newest = slots.max(by: { number($0 + 16, bytes: 8) < number($1 + 16, bytes: 8) }),
            number(newest + 16, bytes: 8) > 0
        else { return nil }
        format = Int(number(newest + 8, bytes: 4))
        // The position of the checkpoint is all ones as long as there is none.
        let hasCheckpoint = number(newest + 48, bytes: 8) != .max
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        checkpointDate = hasCheckpoint ? attributes?[.modificationDate] as? Date : nil
    }
}
