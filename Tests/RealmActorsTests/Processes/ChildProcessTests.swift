import Foundation
import Testing

/// Real processes at one store: four write in turns and are killed at random, two follow them and
/// sleep for a while. The short form of campaign C19, see Documentation/Reliability.md.
@Suite struct ChildProcessTests {
    @Test("S2: processes that are killed at random share a store without loss")
    func processesShareAStoreWithoutLoss() async throws {
        try await Self.run(campaign: "C19", seeds: 1...99)
    }

    /// Runs a case of a campaign, in a process of its own.
    static func run(campaign: String, seeds: ClosedRange<UInt64>) async throws {
        #if os(Linux)
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let own = URL(fileURLWithPath: CommandLine.arguments[0])
        #endif
        var folder = own.deletingLastPathComponent()
        while folder.pathExtension == "xctest" || folder.path.contains(".xctest/") {
            folder.deleteLastPathComponent()
        }
        let program = folder.appendingPathComponent("campaigns")
        try #require(
            FileManager.default.isExecutableFile(atPath: program.path),
            "The campaigns are built together with the tests: run swift build --build-tests.")
        let seed =
            ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: seeds)
        let child = ChildProgram(
            executable: program, arguments: [campaign, "--count", "1", "--seed", "\(seed)"])
        let output = TestFolder.path("campaign")
        let status = try await child.run(output: output)
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(status == 0, "\(campaign) SEED=\(seed): \(text)")
    }
}
