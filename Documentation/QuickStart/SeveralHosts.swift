import Foundation
import RealmActors

/// An order that one of several hosts has taken.
final class HostOrder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var host: Int
}

/// Several processes, each with a folder of its own as a host has it, write one realm whose log is
/// in a PostgreSQL. One of them is killed while it writes, and starts again. In the end the change
/// stream of each must have reported all orders, each of them once.
struct SeveralHosts {
    /// What one host takes.
    private static let ordersOfHost = 200
    /// After how many of them the last host is killed.
    private static let ordersBeforeKill = 20
    /// How long a host waits for its next order, so that the others still write during the kill.
    private static let pause = Duration.milliseconds(5)
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
        try await killLast(hosts[count - 1], in: folder)
        hosts[count - 1] = try start(count, realm, in: folder)
        try await HostProcess.waitForAll(hosts, atMost: Self.patience)
        let reports = (1...count).map { number in
            let file = file("report", of: number, in: folder)
            return (try? String(contentsOf: file, encoding: .utf8)) ?? "no report"
        }
        let expected = try allOrders().description
        let agree = reports.allSatisfy { $0 == expected }
        print(
            agree
                ? "The streams of all hosts agree: \(expected)"
                : "The streams differ: \(reports), where \(expected) were expected")
        return agree ? 0 : 1
    }

    /// Kills the last host as soon as it has taken its first orders; it has at least one left.
    private func killLast(_ host: HostProcess, in folder: URL) async throws {
        try await host.waitForFile(file("begun", of: count, in: folder), atMost: Self.patience)
        host.stop()
        print("host \(count) was killed, and starts again")
        fflush(nil)
    }

    private func allOrders() throws -> OrderBook {
        var orders = OrderBook()
        for number in 1...count {
            for order in 1...Self.ordersOfHost {
                try orders.add(id(order, of: number), host: number)
            }
        }
        return orders
    }

    private func id(_ order: Int, of number: Int) -> Int { number * 1_000_000 + order }

    /// By such files a host tells the process that has started it how far it is.
    private func file(_ name: String, of number: Int, in folder: URL) -> URL {
        folder.appendingPathComponent("\(name)-\(number)")
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
        // What the stream reports is collected beside the writes of this host.
        let reported = Task {
            var orders = OrderBook()
            for try await change in realm.objects(HostOrder.self).changes() {
                try orders.take(change)
                if orders.count >= total { break }
            }
            return orders
        }
        let begun = file("begun", of: number, in: folder)
        // The first process of the last host is killed once it has written that file.
        let isToBeKilled =
            number == count && !FileManager.default.fileExists(atPath: begun.path)
        for order in 1...Self.ordersOfHost {
            // However late it is killed, an order is left.
            while isToBeKilled && order == Self.ordersOfHost {
                try await Task.sleep(for: Self.pause)
            }
            let id = id(order, of: number)
            try await realm.write { tx in
                // A host that was killed does not know which of its writes were stored.
                if tx.object(HostOrder.self, forPrimaryKey: id) != nil { return }
                _ = try tx.create(HostOrder.self, value: ["id": id, "host": number])
            }
            if order == Self.ordersBeforeKill { try Data().write(to: begun) }
            try await Task.sleep(for: Self.pause)
        }
        print("host \(number) has taken its \(Self.ordersOfHost) orders")
        fflush(nil)
        let orders = try await reported.value
        let newest = try await realm.refreshed(.toNewest)
        guard try OrderBook(newest.objects(HostOrder.self)) == orders else {
            throw OrderBook.Failure(description: "The stream has not reported what is stored.")
        }
        try orders.description.write(
            to: file("report", of: number, in: folder), atomically: true, encoding: .utf8)
        try await realm.close()
    }
}
