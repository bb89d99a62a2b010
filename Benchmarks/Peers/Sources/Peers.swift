import CLMDB
import CSQLite
import Foundation

/// The databases, in the order in which they run.
let allPeers: [any Peer.Type] = [LMDBPeer.self, SQLitePeer.self, GRDBPeer.self]

/// Runs the workloads against other databases and prints a row for each.
@main
struct Peers {
    static let help = """
        usage: peers [options]
               peers versions

        \(Options.help)
          --engine NAME   run one database only: lmdb, sqlite or grdb
        """

    /// The versions of the C libraries.
    private static var versions: String {
        var numbers: (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&numbers.0, &numbers.1, &numbers.2)
        let sqlite = String(cString: sqlite3_libversion())
        return "SQLite \(sqlite), LMDB \(numbers.0).\(numbers.1).\(numbers.2)"
    }

    static func main() async {
        if let status = await ChildProcess.runIfAsked(PeerChildJob.run) { exit(status) }
        if CommandLine.arguments.dropFirst() == ["versions"] {
            print(versions)
            return
        }
        do throws(Options.Problem) {
            let options = try Options(CommandLine.arguments.dropFirst(), also: ["--engine"])
            if options.wantsHelp {
                print(help)
                return
            }
            exit(await run(options, try peers(options.others["--engine"])))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\n\(help)\n".utf8))
            exit(2)
        }
    }

    private static func peers(_ name: String?) throws(Options.Problem) -> [any Peer.Type] {
        guard let name else { return allPeers }
        let found = allPeers.filter { $0.name == name }
        guard !found.isEmpty else {
            throw Options.Problem(description: "There is no database \"\(name)\".")
        }
        return found
    }

    private static func run(_ options: Options, _ peers: [any Peer.Type]) async -> Int32 {
        var status: Int32 = 0
        for peer in peers {
            var report = Report(options.format, engine: peer.name)
            do {
                try await run(options, peer, &report)
            } catch {
                progress("\(peer.name) stopped: \(error)")
                status = 1
            }
            report.finish()
            if report.hasMistakes {
                progress("\(peer.name) gave a wrong answer")
                status = 1
            }
        }
        return status
    }

    private static func run(
        _ options: Options, _ peer: any Peer.Type, _ report: inout Report
    ) async throws {
        let bench = try PeerBench(options, peer)
        defer { bench.cleanUp() }
        for workload in peerWorkloads where workload.matches(options.filter) {
            let repetitions = options.repetitions
            for row in try await workload.measure(in: bench, repetitions: repetitions) {
                report.add(row)
            }
        }
    }
}
