import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// This program, started once more in another role.
// Unchecked: started by `init`, then used by one thread that waits for it, and killed by number.
final class ChildProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()

    private static let prefix = "acknowledged "

    /// In the child: reports to the parent. One line is one write, so it arrives completely or not
    /// at all.
    static func acknowledge(_ number: Int) {
        FileHandle.standardOutput.write(Data("\n\(prefix)\(number)\n".utf8))
    }

    init(_ arguments: [String]) throws {
        #if os(Linux)
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        #endif
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// The output of the child.
    struct Outcome: Sendable {
        /// The highest acknowledged number.
        var acknowledged = 0
        /// The other lines.
        var lines: [String] = []
        var status: Int32 = 0
    }

    /// Kills the process `seconds` after its start, or after its first acknowledgement.
    func kill(after seconds: Double, acknowledging: Bool) async -> Outcome {
        await finish { reader in
            var data = Data()
            if acknowledging {
                while data.range(of: Data(Self.prefix.utf8)) == nil {
                    let more = reader.availableData
                    if more.isEmpty { break }
                    data += more
                }
            }
            Thread.sleep(forTimeInterval: seconds)
            sendSignal(self.process.processIdentifier, SIGKILL)
            return data
        }
    }

    func send(_ signal: Int32) { sendSignal(process.processIdentifier, signal) }

    /// Waits for the end of the process.
    func wait() async -> Outcome { await finish { _ in Data() } }

    /// Reading from a pipe blocks: not for the cooperative pool. A child whose parent is cancelled
    /// is killed; otherwise a failed case would wait for children that wait for it.
    private func finish(_ begin: @escaping @Sendable (FileHandle) -> Data) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in continuation.resume(returning: end(begin)) }
            }
        } onCancel: {
            send(SIGKILL)
        }
    }

    private func end(_ begin: (FileHandle) -> Data) -> Outcome {
        let reader = output.fileHandleForReading
        let data = begin(reader) + reader.readDataToEndOfFile()
        process.waitUntilExit()
        var outcome = Outcome(status: process.terminationStatus)
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix(Self.prefix) {
                let number = Int(line.dropFirst(Self.prefix.count)) ?? 0
                outcome.acknowledged = max(outcome.acknowledged, number)
            } else {
                outcome.lines.append(String(line))
            }
        }
        return outcome
    }
}

private func sendSignal(_ process: Int32, _ signal: Int32) { _ = kill(process, signal) }

/// Creates a temporary directory, which is removed at the end of the body.
func withTemporaryDirectory<R>(_ body: (String) async throws -> R) async throws -> R {
    let path = NSTemporaryDirectory() + "campaign-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
