import Foundation
import HTTPClient
import Testing

/// The service as a process, and its store.
final class Service {
    private static var products: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let tests = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent()
    }

    private let folder: URL
    private var process = Process()
    private(set) var port = 0

    var store: String { folder.appendingPathComponent("orders").path }

    private init(_ folder: URL) { self.folder = folder }

    /// Runs `body` with a service that has been started, on an empty store.
    static func with(_ body: (Service) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("orders-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = Service(folder)
        try await service.start()
        do {
            try await body(service)
            await service.kill()
        } catch {
            await service.kill()
            throw error
        }
    }

    /// Starts the process, and waits until it listens.
    func start() async throws {
        let log = folder.appendingPathComponent("log")
        try Data().write(to: log)
        process = Process()
        process.executableURL = Self.products.appendingPathComponent("orders-service")
        process.arguments = [store, "--port", "0"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        while true {
            let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
            if let match = text.firstMatch(of: /listening on port (\d+)\n/) {
                port = try #require(Int(match.1))
                return
            }
            try #require(process.isRunning, "\(text)")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends the process by a signal that it cannot catch.
    func kill() async {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        await ended()
    }

    /// Asks the process to end.
    func terminate() { process.terminate() }

    /// Waits until the process has ended, and says how.
    @discardableResult
    func ended() async -> Int32 {
        while process.isRunning { try? await Task.sleep(for: .milliseconds(2)) }
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }

    func request(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPConnection.request(method, path, port: port, headers: headers, body: body)
    }

    /// What it answers to a request with a body in JSON.
    func objects(_ method: String, _ path: String, body: String = "") async throws -> [String: Any]
    {
        let answer = try await request(method, path, body: body)
        try #require(answer.status < 300, "\(answer.status) \(answer.body)")
        return try answer.objects()
    }
}

extension HTTPAnswer {
    func objects() throws -> [String: Any] { try body.objects() }
}

extension ServerEvent {
    func objects() throws -> [String: Any] { try data.objects() }
}

extension String {
    fileprivate func objects() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(utf8)) as? [String: Any])
    }
}
