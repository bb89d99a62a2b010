import Foundation

/// This executable, started again to be one of several hosts.
struct HostProcess {
    /// A host that did not do its work, or not in time.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    /// Nothing is written: its end shows a host that this process is gone.
    private let input = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        process.standardInput = input
        try process.run()
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Returns once the host has written a file; throws if it ends without that, or takes too long.
    func waitForFile(_ file: URL, atMost limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        while !FileManager.default.fileExists(atPath: file.path) {
            guard process.isRunning, ContinuousClock.now < end else {
                throw Failure(description: "A host has not written '\(file.lastPathComponent)'.")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Returns when all have ended well; throws as soon as one has not, since others would wait for
    /// what that one was to write.
    static func waitForAll(_ hosts: [HostProcess], atMost limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        var rest = hosts
        while !rest.isEmpty {
            for host in rest where !host.process.isRunning {
                let status = host.process.terminationStatus
                if status != 0 { throw Failure(description: "A host ended with \(status).") }
            }
            rest = rest.filter { $0.process.isRunning }
            if ContinuousClock.now > end {
                throw Failure(description: "\(rest.count) hosts have not finished after \(limit).")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// In a host: has it end when the process that started it does, however that ends.
    static func endWithParent() {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(1)
        }
    }
}
