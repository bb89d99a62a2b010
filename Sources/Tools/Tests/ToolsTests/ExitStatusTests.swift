import Foundation
import RealmActors
import Testing

@testable import realmactors

/// What a process says of its failure.
@Suite(.timeLimit(.minutes(10))) struct ExitStatusTests {
    @Test func errorsOfSharedLogsHaveStatusesOfTheirOwn() {
        let expected: [(RealmError, Int32)] = [
            (.sharedLogUnavailable(reason: "x"), 9), (.sharedLogTrimmed(first: 9), 9),
            (.superseded, 10),
            (.sharedLogDiverged(reason: "x"), 11), (.sharedLogUnsafe(setting: "x"), 12),
            (.commitOutcomeUnknown(cause: "x"), 13),
            (
                .duplicateValues(
                    className: "Dog", properties: [], values: [], existing: "", rejected: ""), 3
            ),
        ]
        for (error, status) in expected { #expect(ExitStatus(error).rawValue == status) }
    }

    @Test func theHelpAndThePageHaveEveryStatus() async throws {
        let help = try await Tool.run("--help", environment: ["COLUMNS": "1000"])
        let words = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let page = try String(
            contentsOf: Tool.repository.appendingPathComponent("Documentation/Tools.md"),
            encoding: .utf8)
        for status in ExitStatus.allCases {
            #expect(words.contains("\(status.rawValue) \(status.meaning)"), "\(status)")
            #expect(page.contains("| \(status.rawValue) | \(status.meaning) |"), "\(status)")
        }
    }
}
