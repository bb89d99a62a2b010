#if os(Linux) && PostgreSQL
    import Foundation
    import Glibc
    import RealmActors
    import StorageHarness

    /// A host, which is a process on a machine of a campaign's own, and what it has reported.
    final class HostProcess {
        let machine: Int
        private let network: ServerNetwork
        private let folder: String
        /// What it is given besides.
        private let arguments: [String]
        private var process: Int32?
        private(set) var opening = 0
        /// What of the output of this opening was read.
        private var offset: UInt64 = 0
        /// What was reported in each opening.
        private(set) var reports: [Int: [HostReport]] = [:]

        /// - Parameter mistake: what it does wrong, while it writes.
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

        /// How many commits were acknowledged so far.
        private(set) var acknowledged = 0

        var hasDiverged: Bool { hasTold(.diverged) }

        /// Whether it has made its mistake.
        var hasErred: Bool { hasTold(.erred) }

        private func hasTold(_ report: HostReport) -> Bool {
            reports.values.contains { $0.contains(report) }
        }

        /// What it has shown in the end; nil if nothing.
        var newest: HostReport? {
            reports[opening]?.last { if case .newest = $0 { true } else { false } }
        }

        /// Starts it, unless it runs.
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
                // libpq may write there while it connects.
                output: output, errors: "\(folder)/errors-\(opening)")
        }

        func kill() throws {
            guard let process else { return }
            Glibc.kill(process, SIGKILL)
            _ = try Program.wait(for: process)
            self.process = nil
            try read()
        }

        /// Removes what it has, while it does not run.
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

        /// Takes what it has told since the last call.
        ///
        /// - Throws: ``Violation`` for a problem that it tells.
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
