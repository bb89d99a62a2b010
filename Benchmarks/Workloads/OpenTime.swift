import Foundation
import RealmActors

let openWorkloads: [Workload] = [
    Workload("w12_open") { bench in
        _ = try await bench.personsRealm()
        try await bench.closePersons()
        return [try openInFreshProcess("w12_open", bench)]
    },
    Workload("w12_open_after_kill") { bench in
        _ = try await bench.personsRealm()
        try await bench.closePersons()
        let writer = try ChildProcess.start(.write, path: bench.personsPath, bench.count)
        try writer.waitForOutput()
        try await Task.sleep(for: .milliseconds(500))
        writer.stopAtOnce()
        return [try openInFreshProcess("w12_open_after_kill", bench)]
    },
]

/// From the call of open to the first property, in a process that has done nothing else.
private func openInFreshProcess(_ row: String, _ bench: Bench) throws -> Measurement {
    let child = try ChildProcess.start(.open, path: bench.personsPath, bench.count)
    let words = try child.finish().split(separator: " ").map(String.init)
    guard words.count == 2, let seconds = Double(words[0]) else {
        throw ChildProcess.Failure(description: "the child printed \(words)")
    }
    return Measurement(
        row, seconds * 1000, "ms", check: .equal(words[1], Dataset.name(bench.count / 2)))
}
