import Foundation
import Testing

/// A terminal whose keys are pressed and whose screen is read by a test.
final class PseudoTerminal {
    private let screen: Int32
    /// What a process gets for its standard input and error.
    let line: FileHandle
    private var shown = ""

    init() throws {
        var (screen, line): (Int32, Int32) = (-1, -1)
        try #require(openpty(&screen, &line, nil, nil, nil) == 0)
        self.screen = screen
        self.line = FileHandle(fileDescriptor: line, closeOnDealloc: true)
        try #require(fcntl(screen, F_SETFL, fcntl(screen, F_GETFL) | O_NONBLOCK) == 0)
    }

    deinit { close(screen) }

    func press(_ keys: String) throws {
        let bytes = Array(keys.utf8)
        try #require(write(screen, bytes, bytes.count) == bytes.count)
    }

    /// All that the screen shows until a process has ended.
    func all(of tool: Tool) async throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let isRunning = tool.isRunning
            let count = read(screen, &bytes, bytes.count)
            if count > 0 { shown += String(decoding: bytes[..<count], as: UTF8.self) }
            if count <= 0, !isRunning { return shown }
            if count <= 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    /// Waits until the screen shows a text behind those that were waited for before.
    func shows(_ text: String, while tool: Tool) async throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(screen, &bytes, bytes.count)
            if count > 0 { shown += String(decoding: bytes[..<count], as: UTF8.self) }
            if let range = shown.range(of: text) {
                shown.removeSubrange(..<range.upperBound)
                return
            }
            if count > 0 { continue }
            try #require(tool.isRunning, "\(shown)")
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
