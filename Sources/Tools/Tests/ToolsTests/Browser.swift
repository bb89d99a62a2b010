import Foundation
import Testing

/// Chromium without a window, driven by its debugging protocol over two pipes.
final class Browser {
    /// The executable; nil where none is installed.
    static let executable: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["chromium", "chromium-browser", "google-chrome"].lazy
            .flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let process = Process()
    private let folder: URL
    private let commands: FileHandle
    private let answers: Int32
    private var received = Data()
    private var lastCommand = 0
    private var session: String?

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("browser-\(UUID().uuidString)")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let names = ["in", "out"].map { folder.appendingPathComponent($0).path }
        for name in names { try #require(mkfifo(name, 0o600) == 0) }
        // For both directions, so that opening does not block.
        commands = FileHandle(fileDescriptor: open(names[0], O_RDWR), closeOnDealloc: true)
        answers = open(names[1], O_RDWR | O_NONBLOCK)
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "in=$1 out=$2; shift 2; exec \"$@\" 3<\"$in\" 4>\"$out\"", "sh", names[0],
            names[1], try #require(Self.executable), "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
            "--user-data-dir=\(folder.path)/profile", "about:blank",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Ends the browser, and waits for it.
    func end() async {
        process.terminate()
        while process.isRunning { try? await Task.sleep(for: .milliseconds(5)) }
        close(answers)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens a page, which all that follows is about.
    func visit(_ address: String) async throws {
        let target = try await call("Target.createTarget", ["url": address])
        let attached = try await call(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = try #require(attached["sessionId"] as? String)
    }

    /// What an expression of JavaScript is in the page.
    @discardableResult
    func evaluate(_ expression: String) async throws -> Any? {
        let answer = try await call(
            "Runtime.evaluate",
            ["expression": expression, "awaitPromise": true, "returnByValue": true])
        if let details = answer["exceptionDetails"] { Issue.record("\(expression): \(details)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Waits until an expression is true.
    func wait(until expression: String) async throws {
        while try await evaluate("Boolean(\(expression))") as? Bool != true {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func press(_ key: String) async throws {
        var event: [String: Any] = ["key": key]
        if key.count == 1 { event["text"] = key }
        if key == "Enter" { (event["text"], event["windowsVirtualKeyCode"]) = ("\r", 13) }
        for type in ["keyDown", "keyUp"] {
            event["type"] = type
            _ = try await call("Input.dispatchKeyEvent", event)
        }
    }

    func type(_ text: String) async throws {
        _ = try await call("Input.insertText", ["text": text])
    }

    /// Runs a command of the protocol, and gives its result.
    func call(_ method: String, _ parameters: [String: Any]) async throws -> [String: Any] {
        lastCommand += 1
        var command: [String: Any] = ["id": lastCommand, "method": method, "params": parameters]
        command["sessionId"] = session
        try commands.write(
            contentsOf: try JSONSerialization.data(withJSONObject: command) + Data([0]))
        while true {
            let message = try await nextMessage()
            // All others are events.
            guard message["id"] as? Int == lastCommand else { continue }
            return try #require(message["result"] as? [String: Any], "\(message)")
        }
    }

    private func nextMessage() async throws -> [String: Any] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let end = received.firstIndex(of: 0) {
                defer { received = Data(received[(end + 1)...]) }
                let value = try JSONSerialization.jsonObject(with: Data(received[..<end]))
                return try #require(value as? [String: Any])
            }
            let count = read(answers, &bytes, bytes.count)
            if count > 0 {
                received.append(contentsOf: bytes[..<count])
                continue
            }
            try #require(process.isRunning, "the browser has ended")
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
