import Foundation
import StorageHarness

/// The reports of one host, as it has written them.
struct RecordedHost {
    let number: Int
    /// The reports of each opening, in the order of the openings.
    let openings: [[HostReport]]

    private static let prefix = "output-"

    /// Reads the files of a folder.
    init(_ number: Int, in folder: URL) throws {
        self.number = number
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let numbers = names.compactMap { name in
            name.hasPrefix(Self.prefix) ? Int(name.dropFirst(Self.prefix.count)) : nil
        }
        openings = try numbers.sorted().map { number in
            try Self.reports(in: folder.appendingPathComponent("\(Self.prefix)\(number)"))
        }
    }

    /// A last line without an end was not written completely.
    private static func reports(in file: URL) throws -> [HostReport] {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().filter { !$0.isEmpty }.map { HostReport($0) }
    }

    /// The first problem that it has reported.
    var problem: String? {
        for case .problem(let text) in openings.joined() { return text }
        return nil
    }

    /// Whether the log has lost entries that it has read.
    var hasDiverged: Bool { openings.joined().contains(.diverged) }

    /// The newest version of its last opening, when no host wrote any more; nil if it was not
    /// asked for that.
    var newest: HostReport? {
        openings.last?.last { if case .newest = $0 { true } else { false } }
    }
}
