import Foundation

/// The compiler that built these tests, run on a snippet.
struct SwiftCompiler: Sendable {
    /// What a run of the compiler gave.
    struct Outcome: Sendable {
        var succeeded: Bool
        var diagnostics: String
    }

    private let executable: URL
    private let arguments: [String]

    /// Why no snippet can be compiled here.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    init() throws(Unavailable) {
        guard let compiler = Self.find("swiftc") else {
            throw Unavailable(description: "there is no swiftc in PATH")
        }
        guard let modules = Self.modules() else {
            throw Unavailable(description: "the folder of the built modules was not found")
        }
        var arguments = [
            "-swift-version", "6", "-module-name", "Client", "-diagnostic-style", "llvm", "-I",
            modules.path,
        ]
        #if os(macOS)
            #if arch(arm64)
                arguments += ["-target", "arm64-apple-macosx15.0"]
            #else
                arguments += ["-target", "x86_64-apple-macosx15.0"]
            #endif
            // xcrun finds the compiler that fits the selected SDK and passes it the SDK's path.
            if let xcrun = Self.find("xcrun") {
                executable = xcrun
                self.arguments = ["--sdk", "macosx", "swiftc"] + arguments
                return
            }
        #endif
        executable = compiler
        self.arguments = arguments
    }

    /// How a file is to be understood.
    enum Form: Sendable {
        /// Declarations only.
        case library
        /// Statements may stand between the declarations, as in a `main.swift`.
        case script
    }

    /// How far files are compiled.
    enum Depth: Sendable {
        /// Up to the type checker.
        case types
        /// Up to the passes that diagnose misuse of isolation, which run only when all types are
        /// right.
        case isolation
    }

    /// Compiles one file up to the passes that diagnose misuse of isolation, and no further. No
    /// thread waits for the compiler.
    func compile(
        _ code: String, as form: Form = .library, _ options: [String] = []
    ) async throws -> Outcome {
        let more = options + (form == .library ? ["-parse-as-library"] : [])
        return try await compile(["Snippet": code], to: .isolation, more)
    }

    /// Compiles files as one module.
    func compile(
        _ files: [String: String], to depth: Depth, _ options: [String]
    ) async throws -> Outcome {
        let folder = URL(fileURLWithPath: TestFolder.path("snippet"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("diagnostics.txt")
        var sources: [String] = []
        for (name, code) in files.sorted(by: { $0.key < $1.key }) {
            let source = folder.appendingPathComponent("\(name).swift")
            try Data(code.utf8).write(to: source)
            sources.append(source.path)
        }

        let output = folder.appendingPathComponent("Snippet.sil").path
        // One frontend for all files: one for each would stop at the first file with an error.
        let result =
            depth == .types ? ["-typecheck", "-wmo"] : ["-emit-sil", "-wmo", "-o", output]
        // The compiler leaves folders behind where it keeps temporary files.
        let compiler = ChildProgram(
            executable: executable, arguments: arguments + options + result + sources,
            environment: ["TMPDIR": folder.path])
        let status = try await compiler.run(errors: log.path)
        let diagnostics = try String(contentsOf: log, encoding: .utf8)
        return Outcome(succeeded: status == 0, diagnostics: diagnostics)
    }

    private static func find(_ tool: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        return path.split(separator: ":")
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent(tool) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The folder with this package's modules, next to the test bundle that is running.
    private static func modules() -> URL? {
        let bundles = Bundle.allBundles.map(\.bundleURL)
        let arguments = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
        for start in arguments + bundles {
            var folder = start.resolvingSymlinksInPath()
            for _ in 0..<6 {
                folder = folder.deletingLastPathComponent()
                for candidate in [folder.appendingPathComponent("Modules"), folder] {
                    let module = candidate.appendingPathComponent("RealmActors.swiftmodule")
                    if FileManager.default.fileExists(atPath: module.path) { return candidate }
                }
            }
        }
        return nil
    }
}
