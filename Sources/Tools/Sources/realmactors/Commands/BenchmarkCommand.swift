import ArgumentParser
import Foundation
import RealmActors

struct BenchmarkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measure commits, inserts and reads on the disk of a folder.",
        discussion: "A store is created in the folder, written and read, and then deleted.")

    @Argument(help: "The folder.", completion: .directory) var folder = "."

    @Option(help: "How long each measurement takes, in seconds.") var seconds = 2.0

    @Option(help: "The output format.") var format = ReportFormat.text

    func validate() throws {
        if folder.isEmpty { throw ValidationError("The path of the folder is empty.") }
        guard seconds >= 0.01, seconds <= 3600 else {
            throw ValidationError("--seconds is from 0.01 to 3600.")
        }
    }

    func run() async throws {
        let result = try await Interruption.noticed { try await measured($0) }
        switch format {
        case .json: Terminal.say(try JSONText.text(result, isPretty: true))
        case .text: for line in result.lines { Terminal.say(line) }
        }
    }

    /// Measures with a store that is removed before anything is written to standard output, which
    /// may end the process.
    private func measured(_ interruption: Interruption) async throws -> Result {
        let path = "\(folder)/realmactors-benchmark-\(UUID().uuidString)"
        defer { _ = try? Realm.deleteFiles(at: path) }
        let realm = try await Realm.open(
            Realm.Configuration(path: path, objectTypes: [Measurement.self]))
        do {
            let result = try await measured(realm, interruption)
            try await realm.close()
            return result
        } catch {
            // The files of a store that is open are not removed.
            try? await realm.close()
            throw error
        }
    }

    private func measured(_ realm: Realm, _ interruption: Interruption) async throws -> Result {
        var result = Result()
        var durations: [Double] = []
        var id = 0
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            try interruption.check()
            let number = id
            let taken = try await ContinuousClock().measure {
                try await realm.write { tx in
                    try tx.create(Measurement.self, value: ["id": number, "value": number * 7])
                    return
                }
            }
            durations.append(taken / .milliseconds(1))
            id += 1
        } while ContinuousClock.now < end
        durations.sort()
        result.commits = durations.count
        result.commitsPerSecond = Double(durations.count) / (durations.reduce(0, +) / 1000)
        result.commitMedian = durations[durations.count / 2]
        result.commitWorst = durations.last ?? 0
        let (base, count) = (id, 100_000)
        let bulk = try await ContinuousClock().measure {
            try await realm.write { tx in
                for number in base..<base + count {
                    let object = Measurement()
                    object.id = number
                    object.value = number &* 31 % 1000
                    try tx.add(object)
                }
            }
        }
        try interruption.check()
        result.insertsPerSecond = Double(count) / (bulk / .seconds(1))
        let objects = realm.objects(Measurement.self)
        var found = 0
        let reading = ContinuousClock().measure {
            for object in objects where object.value == 31 { found += 1 }
        }
        result.readsPerSecond = Double(objects.count) / (reading / .seconds(1))
        result.found = found
        return result
    }

    private struct Result: Encodable {
        var commits = 0
        var commitsPerSecond = 0.0
        var commitMedian = 0.0
        var commitWorst = 0.0
        var insertsPerSecond = 0.0
        var readsPerSecond = 0.0
        /// What the reading has counted.
        var found = 0

        var lines: [String] {
            [
                String(
                    format: "durable commits, one at a time   %.0f per second", commitsPerSecond),
                String(
                    format: "a durable commit                 %.2f ms, at worst %.2f ms",
                    commitMedian, commitWorst),
                String(
                    format: "objects written in one commit    %.0f per second", insertsPerSecond),
                String(format: "objects read                     %.0f per second", readsPerSecond),
            ]
        }
    }
}

/// What the benchmark writes.
final class Measurement: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: Int
}
