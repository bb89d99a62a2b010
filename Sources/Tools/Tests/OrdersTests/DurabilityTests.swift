import Foundation
import HTTPClient
import RealmActors
import Synchronization
import Testing

@testable import orders_service

/// What was acknowledged to a client is on the disk, whatever happens to the service.
@Suite(.timeLimit(.minutes(10))) struct DurabilityTests {
    /// How long the clients write: `DURABILITY_SECONDS`, 5 unless that is set.
    private var duration: Duration {
        .seconds(Int(ProcessInfo.processInfo.environment["DURABILITY_SECONDS"] ?? "") ?? 5)
    }

    @Test func everyAcknowledgedWriteOutlivesKills() async throws {
        try await Service.with { service in
            let progress = Progress(service.port)
            let clients = (0..<6).map { _ in
                Task {
                    var client = Client()
                    try await client.run(progress)
                    return client
                }
            }
            let end = ContinuousClock.now + duration
            var kills = 0
            while ContinuousClock.now < end || kills < 5 {
                let answers = progress.answers.load(ordering: .relaxed)
                try await Task.sleep(for: .milliseconds(Int.random(in: 100..<500)))
                // A kill before much was written shows little.
                try await progress.waitUntil(answers: answers + 50)
                await service.kill()
                kills += 1
                try await service.start()
                progress.port.store(service.port, ordering: .releasing)
            }
            progress.isOver.store(true, ordering: .relaxed)
            var known: [UUID: Int?] = [:]
            for task in clients {
                let client = try await task.value
                known.merge(client.acknowledged) { first, _ in first }
            }
            await service.kill()
            let realm = try await Realm.open(
                Realm.Configuration(
                    path: service.store, objectTypes: [Order.self],
                    history: .keep(for: .seconds(86_400))))
            let orders = realm.objects(Order.self)
            for (id, quantity) in known {
                let order = realm.object(Order.self, forPrimaryKey: id)
                #expect(order?.quantity == quantity, "\(id)")
            }
            #expect(orders.count == known.values.count { $0 != nil })
            let report = try await realm.verify()
            #expect(report.problems.isEmpty, "\(report)")
            try await realm.close()
            let answers = progress.answers.load(ordering: .relaxed)
            FileHandle.standardError.write(
                Data("durability: \(answers) acknowledged writes, \(kills) kills\n".utf8))
        }
    }
}

/// What the clients and the task that kills the service share.
final class Progress: Sendable {
    /// Where the service listens by now.
    let port: Atomic<Int>
    /// How many writes were acknowledged.
    let answers = Atomic(0)
    let isOver = Atomic(false)

    init(_ port: Int) { self.port = Atomic(port) }

    func waitUntil(answers count: Int) async throws {
        while answers.load(ordering: .relaxed) < count {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Something that the service must not answer.
private struct WrongAnswer: Error {
    let text: String
}

/// One client with its acknowledged writes. It writes only its own orders.
private struct Client: Sendable {
    /// The quantity that was acknowledged last; nil for an order that was deleted.
    private(set) var acknowledged: [UUID: Int?] = [:]
    /// What was requested and not answered, which may or may not have been done.
    private var doubtful: (id: UUID, quantity: Int?)?

    mutating func run(_ progress: Progress) async throws {
        while !progress.isOver.load(ordering: .relaxed) || doubtful != nil {
            do {
                let port = progress.port.load(ordering: .acquiring)
                try await HTTPConnection.with(port: port) { connection in
                    try await settle(&connection)
                    while !progress.isOver.load(ordering: .relaxed) {
                        try await write(&connection)
                        progress.answers.add(1, ordering: .relaxed)
                    }
                }
            } catch let error as WrongAnswer {
                throw error
            } catch {
                // The service was killed, or does not listen again yet.
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Reads the outcome of the write that was not answered.
    private mutating func settle(_ connection: inout HTTPConnection) async throws {
        guard let (id, asked) = doubtful else { return }
        let answer = try await connection.request("GET", "/orders/\(id)")
        guard [200, 404].contains(answer.status) else { throw WrongAnswer(text: answer.body) }
        let found = answer.status == 404 ? nil : try answer.objects()["quantity"] as? Int
        let before = acknowledged[id] ?? nil
        guard found == asked || found == before else {
            throw WrongAnswer(
                text: "\(id) is \(found as Any), not \(asked as Any) or \(before as Any)")
        }
        acknowledged[id] = .some(found)
        doubtful = nil
    }

    /// Makes an order, or changes or deletes one of those before.
    private mutating func write(_ connection: inout HTTPConnection) async throws {
        let known = acknowledged.first { $0.value != nil }?.key
        let id = known.flatMap { Int.random(in: 0..<4) == 0 ? $0 : nil } ?? UUID()
        let isDeletion = acknowledged[id] != nil && Bool.random()
        let quantity = isDeletion ? nil : Int.random(in: 1..<1_000_000)
        let body = quantity.map {
            #"{"id": "\#(id)", "customer": "c", "item": "i", "quantity": \#($0)}"#
        }
        doubtful = (id, quantity)
        let answer = try await connection.request(
            body == nil ? "DELETE" : "PUT", "/orders/\(id)", body: body ?? "")
        guard [200, 201, 204].contains(answer.status) else {
            throw WrongAnswer(text: "\(answer.status) \(answer.body)")
        }
        acknowledged[id] = .some(quantity)
        doubtful = nil
    }
}
