import Foundation

/// Reads a file line by line, without holding all of it.
struct LineReader {
    private let path: String
    private let file: FileHandle
    private var buffer = Data()
    private var isAtEnd = false
    /// Bytes of the file; nil for one that is still written, as what comes from a pipe.
    private let size: Int?
    private var bytesRead = 0

    /// - Parameter path: `-` for standard input.
    init(path: String) throws {
        self.path = path
        file = try Self.handle(path)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        size =
            attributes?[.type] as? FileAttributeType == .typeRegular
            ? attributes?[.size] as? Int : nil
    }

    /// The lines of data that was read already.
    init(_ contents: Data, of path: String) {
        self.path = path
        file = .nullDevice
        buffer = contents.starts(with: Self.mark) ? contents.dropFirst(Self.mark.count) : contents
        size = contents.count
        bytesRead = contents.count
        isAtEnd = true
    }

    /// What other programs begin UTF-8 with.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The part of the file that was given in lines, from 0 to 1; nil where its end is not known.
    var part: Double? {
        guard let size, size > 0 else { return nil }
        return min(Double(bytesRead - buffer.count) / Double(size), 1)
    }

    /// Everything in a file.
    static func contents(_ path: String) throws -> Data {
        let file = try handle(path)
        do {
            return try file.readToEnd() ?? Data()
        } catch {
            throw ToolError.unreadable(path, error)
        }
    }

    private static func handle(_ path: String) throws -> FileHandle {
        if path == "-" { return .standardInput }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw ToolError(.badInput, "The file '\(path)' cannot be read.")
        }
        return file
    }

    /// The next line without its end; nil behind the last.
    mutating func next() throws -> Data? {
        // How many bytes of the buffer are known to end no line.
        var searched = 0
        while true {
            let start = buffer.startIndex + searched
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end]
                buffer = buffer[(end + 1)...]
                return Data(line)
            }
            if isAtEnd {
                defer { buffer = Data() }
                return buffer.isEmpty ? nil : Data(buffer)
            }
            searched = buffer.count
            guard let more = try nextBytes(), !more.isEmpty else {
                isAtEnd = true
                continue
            }
            let isMarked = bytesRead == 0 && more.starts(with: Self.mark)
            // Without the lines that were given.
            if buffer.startIndex > 0 { buffer = Data(buffer) }
            buffer.append(isMarked ? more.dropFirst(Self.mark.count) : more)
            bytesRead += more.count
        }
    }

    private func nextBytes() throws -> Data? {
        do {
            return try file.read(upToCount: 1 << 18)
        } catch {
            throw ToolError.unreadable(path, error)
        }
    }
}
