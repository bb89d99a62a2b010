import Foundation

/// This executable, started again to do one thing in a process of its own.
struct ChildProcess {
    /// What the child is asked to do.
    enum Job: String {
        /// Open the persons and print how long it took, and a name.
        case open
        /// Commit until killed; prints a line before it begins.
        case write
        /// Scan and update all persons within a memory budget; prints what that took.
        case scan
        /// Follow what the parent commits; prints a line before it begins, then how long that took.
        case follow
        /// Commit to realms of several hosts, once a line says for how long; prints a line before
        /// that, then what came of it.
        case serve
    }

    /// A child that did not do its job.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What stands on the command line of a child.
    struct Order {
        let job: Job
        /// The database, where the executable drives more than one.
        let engine: String
        let path: String
        let count: Int
    }

    private static let flag = "--child"
    private let process: Process
    private let input: Pipe
    private let output: Pipe

    static func start(_ order: Order) throws -> ChildProcess {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = Bundle.main.executableURL
        process.arguments = [
            flag, order.job.rawValue, order.engine, order.path, "\(order.count)",
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        return ChildProcess(process: process, input: input, output: output)
    }

    /// Gives the child a line to read.
    func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
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
    static func runIfAsked(_ work: (Order) async throws -> Void) async -> Int32? {
        let words = CommandLine.arguments
        guard words.count == 6, words[1] == flag, let job = Job(rawValue: words[2]),
            let count = Int(words[5])
        else { return nil }
        do {
            try await work(Order(job: job, engine: words[3], path: words[4], count: count))
            return 0
        } catch {
            progress("child: \(error)")
            return 1
        }
    }

    /// Says that the child is about to commit.
    static func announce() {
        print("writing")
        fflush(nil)
    }

    /// From the call of open to the first property, in a process that has done nothing else: the
    /// median of as many processes as `times` says.
    static func timeToOpen(
        _ row: String, _ order: Order, times: Int = 1
    ) throws -> Measurement {
        let expected = Dataset.name(order.count / 2)
        var seconds: [Double] = []
        var check = Check.equal(expected, expected)
        for _ in 0..<times {
            let words = try start(order).finish().split(separator: " ").map(String.init)
            guard words.count == 2, let taken = Double(words[0]) else {
                throw Failure(description: "the child printed \(words)")
            }
            seconds.append(taken)
            if words[1] != expected { check = .equal(words[1], expected) }
        }
        return Measurement(row, seconds.median * 1000, "ms", check: check)
    }

    /// Lets a child commit for half a second and kills it.
    static func killWhileWriting(engine: String, path: String, _ count: Int) async throws {
        let writer = try start(Order(job: .write, engine: engine, path: path, count: count))
        try writer.waitForOutput()
        try await Task.sleep(for: .milliseconds(500))
        writer.stopAtOnce()
    }
}
