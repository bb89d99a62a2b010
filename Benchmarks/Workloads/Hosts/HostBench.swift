import Foundation
import RealmActors
import Storage

/// A realm on the server that `--postgres` names, with any number of hosts in this process.
struct HostBench: Sendable {
    /// What the names of its rows begin with.
    static let prefix = "h0"

    /// The workloads that can run here; says what is missing where such a row was asked for.
    static func workloads(_ options: Options) -> [Workload<Bench>] {
        #if PostgreSQL
            if options.others["--postgres"] != nil { return hostWorkloads }
        #endif
        if options.filter.contains(where: { $0 == "hosts" || $0.hasPrefix(prefix) }) {
            progress("The rows of hosts need --postgres, and a build with --traits PostgreSQL.")
        }
        return []
    }
}

#if PostgreSQL
    let hostWorkloads =
        hostCommitWorkloads + hostTurnWorkloads + hostReadingWorkloads + hostRealmsWorkloads

    extension HostBench {
        /// A realm, its hosts, and a connection that does the bare work.
        struct Setting {
            let bench: Bench
            let server: String
            let name: String
            let bare: PostgresProbe

            var seconds: Double { bench.options.seconds }

            /// Opens the realm in a folder of its own.
            ///
            /// - Parameters:
            ///   - number: distinguishes the folders of a realm.
            ///   - log: the log that this host alone uses; nil for one that is not counted.
            ///   - imageBytesMin: how much log an image takes; nil for the default.
            func host(
                _ number: Int = 1, on log: PostgresSharedLog? = nil, imageBytesMin: Int? = nil
            ) async throws -> Realm {
                let folder = bench.folder.appendingPathComponent("\(name)-\(number).realm")
                return try await HostBench.open(
                    folder.path, realm: name, on: server, log, imageBytesMin: imageBytesMin)
            }

            /// The log of the realm, for one host whose round trips are counted.
            func log() async throws -> PostgresSharedLog {
                try await onThread { [server, name] in
                    try PostgresSharedLog(server, realm: name, durability: .singleServer)
                }
            }

            /// How long each of the bare appends of so many bytes takes, in seconds.
            func bareAppends(_ bytes: Int, seconds: Double) throws -> [Double] {
                let entry = [UInt8](repeating: 7, count: bytes)
                var times: [Double] = []
                let end = ContinuousClock.now + .seconds(seconds)
                while ContinuousClock.now < end {
                    times.append(try timed { _ = try bare.append(entry) }.seconds)
                }
                return times
            }
        }

        /// Opens a host of a realm in its folder.
        static func open(
            _ path: String, realm: String, on server: String, _ log: PostgresSharedLog? = nil,
            imageBytesMin: Int? = nil
        ) async throws -> Realm {
            var configuration = Realm.Configuration(path: path, objectTypes: Bench.objectTypes)
            configuration.sharedLog = .postgres(server, realm: realm, durability: .singleServer)
            if let log { configuration.sharedLog = Realm.SharedLog(named: realm) { log } }
            if let imageBytesMin { configuration.sharedLog?.imageBytesMin = imageBytesMin }
            return try await Realm.open(configuration)
        }

        /// Runs `body` with a new realm, and removes that.
        static func run(
            _ bench: Bench, _ body: (Setting) async throws -> [Measurement]
        ) async throws -> [Measurement] {
            let server = bench.options.others["--postgres"] ?? ""
            let setting = Setting(
                bench: bench, server: server, name: "benchmark-\(UUID().uuidString)",
                bare: try PostgresProbe(server))
            let rows = try await body(setting)
            try setting.bare.remove(setting.name)
            return rows
        }
    }

    extension Measurement {
        /// A ratio, and what it must be for the goal.
        static func ratio(_ row: String, _ value: Double, goal: String) -> Measurement {
            Measurement(row, value, "x", check: .note("goal: \(goal)"))
        }
    }
#endif
