import Foundation
import StorageHarness

/// Checks what the hosts of one realm have reported: see Documentation/Reliability.md.
///
///     hostchecker FOLDER
///
/// The folder has one for each host, whose name is a number, with a file of reports for each of its
/// openings: `output-1` and so on. One of the hosts has reported the commits of the log.
///
/// It knows nothing of how the hosts work. What it checks is in `HostHistory+Check.swift`, and how
/// a report is written in `HostReport.swift`. It exits with 1 for an inconsistency, and with 2 if
/// it cannot read the reports.
@main
enum HostChecker {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, arguments.count == 1 else {
            say("usage: hostchecker FOLDER")
            exit(2)
        }
        do {
            say(try check(hosts(in: URL(fileURLWithPath: folder))))
        } catch let violation as Violation {
            say("\(violation)")
            exit(1)
        } catch {
            say("\(error)")
            exit(2)
        }
    }

    private static func hosts(in folder: URL) throws -> [RecordedHost] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let numbers = names.compactMap { Int($0) }.sorted()
        if numbers.isEmpty { throw Program.Failure(description: "\(folder.path) has no hosts.") }
        return try numbers.map { number in
            try RecordedHost(number, in: folder.appendingPathComponent("\(number)"))
        }
    }

    /// Returns a summary of the reports.
    ///
    /// - Throws: ``Violation`` for an inconsistency.
    private static func check(_ hosts: [RecordedHost]) throws -> String {
        var history = HostHistory()
        for host in hosts {
            if let problem = host.problem {
                throw Violation("host \(host.number) says \(problem)")
            }
            for (index, reports) in host.openings.enumerated() {
                history.add(reports, host: host.number, opening: index)
            }
        }
        try history.check()
        for host in hosts where host.hasDiverged {
            throw Violation("host \(host.number) misses what it has seen")
        }
        let newest = hosts.compactMap(\.newest)
        if newest.contains(where: { $0 != newest.last }) {
            throw Violation("hosts differ in the end: \(newest)")
        }
        return "\(history.commits.count) commits, \(history.log.count) in the log,"
            + " \(history.sights.count) sights"
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
