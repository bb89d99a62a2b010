import Foundation
import RealmActors

/// An order that one of several hosts has taken.
final class HostOrder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var host: Int
}

/// Several processes, each with a folder of its own as a host has it, write one realm whose log is
/// in a PostgreSQL. One of them is killed and starts again; in the end all must have the same
/// orders, and have had each reported by a change stream.
struct SeveralHosts {
    /// What one host takes.
    private static let ordersOfHost = 200
    /// How long all of that may take.
    private static let patience = Duration.seconds(60)

    let count: Int
    let connection: String

    /// Starts the hosts and compares what they say in the end; returns how many checks failed.
    func run() async throws -> Int {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hosts-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        heading("\(count) hosts, one PostgreSQL")
        let realm = "quickstart-\(UUID().uuidString)"
        var hosts: [HostProcess] = []
        defer { for host in hosts { host.stop() } }
        for number in 1...count { hosts.append(try start(number, realm, in: folder)) }
        try await Task.sleep(for: .milliseconds(600))
        print("host \(count) is killed, and starts again")
        fflush(nil)
        hosts[count - 1].stop()
        hosts[count - 1] = try start(count, realm, in: folder)
        try await HostProcess.waitForAll(hosts, atMost: Self.patience)
        let reports = (1...count).map { number in
            let file = folder.appendingPathComponent("report-\(number)")
            return (try? String(contentsOf: file, encoding: .utf8)) ?? "no report"
        }
        let wanted = "\(count * Self.ordersOfHost) orders"
        let agree = Set(reports).count == 1 && reports[0].hasPrefix(wanted)
        print(agree ? "All hosts agree: \(reports[0])" : "The hosts differ: \(reports)")
        return agree ? 0 : 1
    }

    private func start(_ number: Int, _ realm: String, in folder: URL) throws -> HostProcess {
        try HostProcess([
            "--host", "\(number)", "--hosts", "\(count)", "--postgres", connection, "--realm",
            realm, "--path", folder.path,
        ])
    }

    /// What one of the processes does.
    func runHost(_ number: Int, realm name: String, in folder: URL) async throws {
        HostProcess.endWithParent()
        var configuration = Realm.Configuration(
            path: folder.appendingPathComponent("host-\(number).realm").path,
            objectTypes: [HostOrder.self])
        configuration.sharedLog = .postgres(connection, realm: name, durability: .singleServer)
        let realm = try await Realm.open(configuration)
        let total = count * Self.ordersOfHost
        // What the stream reports is counted beside the writes of this host.
        let told = Task {
            var orders = 0
            for try await change in realm.objects(HostOrder.self).changes() {
                switch change {
                case .initial(let all): orders = all.count
                case .update(_, let deletions, let insertions, _):
                    orders += insertions.count - deletions.count
                }
                if orders >= total { break }
            }
            return orders
        }
        for order in 1...Self.ordersOfHost {
            let id = number * 1_000_000 + order
            try await realm.write { tx in
                // Of what was written before it was killed it may not know.
                if tx.object(HostOrder.self, forPrimaryKey: id) != nil { return }
                _ = try tx.create(HostOrder.self, value: ["id": id, "host": number])
            }
        }
        print("host \(number) has taken its \(Self.ordersOfHost) orders")
        fflush(nil)
        let orders = try await told.value
        let newest = try await realm.refreshed(.toNewest)
        let ids = newest.objects(HostOrder.self).values(of: \.id)
        let report = "\(orders) orders, sum of their numbers \(ids.reduce(0, +))"
        try report.write(
            to: folder.appendingPathComponent("report-\(number)"), atomically: true,
            encoding: .utf8)
        try await realm.close()
    }
}
