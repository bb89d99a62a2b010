#if os(Linux) && PostgreSQL
    import Foundation
    import Glibc
    import RealmActors
    import StorageHarness

    /// A host, which is a process on a separate machine of a campaign, and its reports.
    final class HostProcess {
        let machine: Int
        private let network: ServerNetwork
        private let folder: String
        /// Its additional arguments.
        private let arguments: [String]
        private var process: Int32?
        private(set) var opening = 0
        /// The part of the output of this opening that was read.
        private var offset: UInt64 = 0
        /// The reports of each opening.
        private(set) var reports: [Int: [HostReport]] = [:]

        /// - Parameter mistake: its fault, while it writes.
        init(
            _ machine: Int, of realm: String, on network: ServerNetwork,
            _ cluster: DatabaseCluster, mistake: HostMistake? = nil
        ) throws {
            (self.machine, self.network) = (machine, network)
            folder = "\(network.folder)/\(realm)/\(machine)"
            arguments = [
                folder, cluster.connection, cluster.waits ? "quorum" : "single", realm,
                mistake?.rawValue ?? "none", "\(machine)",
            ]
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }

        private var output: String { "\(folder)/output-\(opening)" }

        /// The number of commits acknowledged so far.
        private(set) var acknowledged = 0

        /// Whether it has made its mistake.
        var hasErred: Bool { reports.values.contains { $0.contains(.erred) } }

        /// Starts it, unless it is running.
        func start(_ mode: HostRole.Mode = .writing) throws {
            if process != nil { return }
            opening += 1
            offset = 0
            let program = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")
            process = try Program.start(
                network.command(
                    on: machine,
                    [program, "child-host", mode.rawValue] + arguments + ["\(opening)"]),
                // libpq may print while it connects.
                output: output, errors: "\(folder)/errors-\(opening)")
        }

        func kill() throws {
            guard let process else { return }
            Glibc.kill(process, SIGKILL)
            _ = try Program.wait(for: process)
            self.process = nil
            try read()
        }

        /// Removes its folder, while it is not running.
        func loseFolder() throws { try Realm.deleteFiles(at: HostRole.realm(in: folder)) }

        func send(_ signal: Int32) { if let process { Glibc.kill(process, signal) } }

        /// Waits until it has ended by itself.
        func awaitEnd() throws {
            guard let process else { return }
            let status = try Patience.wait("host \(machine) to end") {
                try Program.status(of: process)
            }
            self.process = nil
            try read()
            if status != 0 { throw Violation("host \(machine) has ended with \(status)") }
        }

        /// Reads its reports since the last call.
        ///
        /// - Throws: ``Violation`` for a problem that it reports.
        func read() throws {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: output))
            defer { try? file.close() }
            try file.seek(toOffset: offset)
            let text = try file.readToEnd() ?? Data()
            guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return }
            offset += UInt64(end - text.startIndex + 1)
            for line in String(decoding: text[..<end], as: UTF8.self).split(separator: "\n") {
                let report = HostReport(line)
                reports[opening, default: []].append(report)
                switch report {
                case .acknowledged: acknowledged += 1
                case .problem(let text): throw Violation("host \(machine) says \(text)")
                case .begun, .refused, .unknown, .snapshot, .element, .refresh, .entry, .newest,
                    .diverged, .erred:
                    break
                }
            }
        }
    }
#endif
