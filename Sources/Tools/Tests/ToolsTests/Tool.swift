import Foundation
import Testing

/// What a run of the tool has left.
struct ToolRun {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Standard output as JSON.
    func json() throws -> Any {
        try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
    }
}

/// The executable as a process.
final class Tool {
    private let process = Process()
    private let folder: URL

    /// The folder of the products, in which the tests stand as well.
    private static var products: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let tests = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent()
    }

    static var path: String { products.appendingPathComponent("realmactors").path }

    /// The folder of the repository.
    static var repository: URL {
        // This file, its folder, Tests, Tools, Sources.
        (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
    }

    /// A run with `input`, or at a terminal, which gets standard output as well where `showsOutput`
    /// is set.
    init(
        _ arguments: [String], input: String = "", environment: [String: String] = [:],
        terminal: PseudoTerminal? = nil, showsOutput: Bool = false
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["out", "err"] { try Data().write(to: folder.appendingPathComponent(name)) }
        try Data(input.utf8).write(to: folder.appendingPathComponent("in"))
        process.executableURL = Self.products.appendingPathComponent("realmactors")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: folder.appendingPathComponent("in"))
        process.standardOutput = try FileHandle(forWritingTo: folder.appendingPathComponent("out"))
        process.standardError = try FileHandle(forWritingTo: folder.appendingPathComponent("err"))
        guard let terminal else { return }
        process.standardInput = terminal.line
        process.standardError = terminal.line
        if showsOutput { process.standardOutput = terminal.line }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func text(_ name: String) -> String {
        let data = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    func start() throws { try process.run() }

    var isRunning: Bool { process.isRunning }

    /// Waits until standard error says something.
    func errors(contain text: String) async throws {
        while !self.text("err").contains(text) {
            try #require(process.isRunning, "\(self.text("err"))")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until standard output has a line, and gives the first.
    func firstLine() async throws -> String {
        while true {
            let text = self.text("out")
            if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
            try #require(process.isRunning, "\(self.text("err"))")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for the end.
    func finish() async throws -> ToolRun {
        while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        return ToolRun(
            status: process.terminationStatus, output: text("out"), errors: text("err"))
    }

    func end() { if process.isRunning { process.terminate() } }

    /// Ends the process by a signal that it cannot catch.
    func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

    /// Sends what Ctrl-C at a terminal does.
    func interrupt() { if process.isRunning { process.interrupt() } }

    /// Runs the tool to its end.
    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> ToolRun {
        let tool = try Tool(arguments, input: input, environment: environment)
        try tool.start()
        return try await tool.finish()
    }
}
