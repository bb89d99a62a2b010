import Foundation
import RealmActors

/// This executable, started again to do one thing in a process of its own.
struct ChildProcess {
    /// What the child is asked to do.
    enum Job: String {
        /// Open the persons and print how long it took, and a name.
        case open
        /// Commit until killed; prints a line before it begins.
        case write
    }

    /// A child that did not do its job.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let flag = "--child"
    private let process: Process
    private let output: Pipe

    static func start(_ job: Job, path: String, _ count: Int) throws -> ChildProcess {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [flag, job.rawValue, path, "\(count)"]
        process.standardOutput = output
        try process.run()
        return ChildProcess(process: process, output: output)
    }

    /// Waits until the child has printed something.
    func waitForOutput() throws {
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw Failure(description: "the child ended early")
        }
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    func stopAtOnce() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the end of the child; what it printed.
    func finish() throws -> String {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the child ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// In a child: does its job, and gives the exit status. Nil in the parent.
    static func runIfAsked() async -> Int32? {
        let words = CommandLine.arguments
        guard words.count == 5, words[1] == flag, let job = Job(rawValue: words[2]),
            let count = Int(words[4])
        else { return nil }
        do {
            switch job {
            case .open: try await open(words[3], count)
            case .write: try await write(words[3])
            }
            return 0
        } catch {
            progress("child: \(error)")
            return 1
        }
    }

    private static func open(_ path: String, _ count: Int) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let realm = try await Realm.open(.init(path: path, objectTypes: Bench.objectTypes))
        let name = realm.object(Person.self, forPrimaryKey: count / 2)?.name ?? "nobody"
        print((clock.now - start).inSeconds, name)
        try await realm.close()
    }

    private static func write(_ path: String) async throws {
        let realm = try await Realm.open(.init(path: path, objectTypes: Bench.objectTypes))
        print("writing")
        fflush(nil)
        for number in 0..<Int.max {
            try await realm.write { tx in try tx.add(Dataset.string(number)) }
        }
    }
}
