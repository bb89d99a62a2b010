import Foundation

/// The files of a store, as its folder shows them: see Documentation/FileFormat.md.
struct StoreFiles: Encodable {
    let path: String
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
        lastCheckpoint = Self.checkpointDate(path + "/superblock")
        let lock = FileManager.default.contents(atPath: path + "/writer.lock") ?? Data()
        let text = String(decoding: lock, as: UTF8.self)
        let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        // A process of the same machine that is gone writes no more.
        let isRunning = number > 0 && (kill(number, 0) == 0 || errno == EPERM)
        writer = isRunning ? Int(number) : nil
    }

    /// Whether other programs write it: a backup that the next one continues, unless it was written
    /// to in between, or the folder of a host on a shared log.
    static func isWrittenElsewhere(_ path: String) -> Bool {
        ["backup", "shared"].contains { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
    }

    /// Every checkpoint writes the next generation of the superblock, with its position at byte 48
    /// of a slot: all ones as long as there is none.
    private static func checkpointDate(_ superblock: String) -> Date? {
        let bytes = [UInt8](FileManager.default.contents(atPath: superblock) ?? Data())
        func number(_ offset: Int) -> UInt64 {
            bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let slots = stride(from: 0, to: bytes.count - 4095, by: 4096)
        guard let newest = slots.max(by: { number($0 + 16) < number($1 + 16) }),
            number(newest + 16) > 0, number(newest + 48) != .max
        else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: superblock)
        return attributes?[.modificationDate] as? Date
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
