import Foundation
import RealmActors

/// What a child of this executable does.
enum ChildJob {
    static func run(_ order: ChildProcess.Order) async throws {
        switch order.job {
        case .open: try await open(order.path, order.count)
        case .write: try await write(order.path)
        case .scan: try await BudgetScan.run(order.path, order.count)
        case .follow: try await followWakeups(order.path, order.count)
        case .serve: try await serveRealms(order.engine, order.path, host: order.count)
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
        ChildProcess.announce()
        for number in 0..<Int.max {
            try await realm.write { tx in try tx.add(Dataset.string(number)) }
        }
    }
}
