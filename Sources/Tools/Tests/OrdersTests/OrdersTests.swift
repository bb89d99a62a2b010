import Foundation
import HTTPClient
import HTTPTypes
import RealmActors
import Synchronization
import Testing

@testable import orders_service

/// The example service over HTTP.
@Suite(.timeLimit(.minutes(10))) struct OrdersTests {
    private func order(_ customer: String, _ item: String, _ quantity: Int = 1) -> String {
        #"{"customer": "\#(customer)", "item": "\#(item)", "quantity": \#(quantity)}"#
    }

    /// A line of an import, which gives the identifier.
    private func line(_ customer: String, _ item: String, _ quantity: Int = 1) -> String {
        #"{"id": "\#(UUID())", "# + order(customer, item, quantity).dropFirst()
    }

    @Test func ordersAreMadeReadChangedAndDeleted() async throws {
        try await Service.with { service in
            let made = try await service.request(
                "POST", "/orders", body: order("Ann", "tea", 3))
            #expect(made.status == 201, "\(made.body)")
            let path = try #require(made.header("Location"))
            let read = try await service.objects("GET", path)
            #expect(read["customer"] as? String == "Ann" && read["quantity"] as? Int == 3)
            #expect(read["status"] as? String == "open")
            let changed = try await service.objects(
                "PATCH", path, body: #"{"status": "paid", "quantity": 4}"#)
            #expect(changed["status"] as? String == "paid" && changed["quantity"] as? Int == 4)
            let id = UUID()
            let body = #"{"id": "\#(id)", "customer": "Bo", "item": "rice"}"#
            for status in [201, 200] {
                let answer = try await service.request("PUT", "/orders/\(id)", body: body)
                #expect(answer.status == status, "\(answer.body)")
            }
            #expect(try await service.request("DELETE", path).status == 204)
            #expect(try await service.request("GET", path).status == 404)
            #expect(try await service.request("DELETE", path).status == 404)
            let health = try await service.objects("GET", "/health")
            let metrics = try await service.request("GET", "/metrics").body
            #expect(metrics.contains("\nrealm_commits_total 5\n"), "\(metrics)")
            let version = try #require(health["version"] as? Int)
            #expect(metrics.contains("\nrealm_version \(version)\n"))
            #expect(metrics.contains(#"http_requests_total{status="404"} 2"#))
        }
    }

    @Test func mistakesOfClientsHaveTheirStatus() async throws {
        try await Service.with { service in
            let path = "/orders/\(UUID())"
            let other = #"{"id": "\#(UUID())", "customer": "Bo", "item": "rice"}"#
            let expected: [(Int, String, String, String)] = [
                (422, "POST", "/orders", order("", "tea")),
                (422, "POST", "/orders", order("Ann", "tea", 0)),
                (422, "POST", "/orders", #"{"customer": "Ann", "item": "tea", "colour": 1}"#),
                (422, "POST", "/orders", "{"),
                (400, "POST", "/orders", "[]"),
                (413, "POST", "/orders", order("Ann", String(repeating: "x", count: 70_000))),
                (400, "PUT", path, other),
                (422, "PATCH", path, #"{"status": "lost"}"#),
                (404, "PATCH", path, #"{"status": "paid"}"#),
                (400, "GET", "/orders/7", ""),
                (400, "GET", "/orders?limit=0", ""),
                (400, "GET", "/orders?limit=ten", ""),
                (400, "GET", "/orders?after=x", ""),
                (400, "GET", "/orders?query=quantity%20%3E%3E%201", ""),
                (400, "GET", "/orders/changes?since=x", ""),
                (404, "GET", "/nothing", ""),
            ]
            for (status, method, path, body) in expected {
                let answer = try await service.request(method, path, body: body)
                #expect(answer.status == status, "\(method) \(path): \(answer.body)")
            }
            // A refused order has left nothing behind.
            let page = try await service.objects("GET", "/orders")
            #expect((page["orders"] as? [Any])?.isEmpty == true)
            let query = try await service.request("GET", "/orders?query=quantity%20%3E%3E%201")
            #expect(query.body.contains("^") || query.body.contains("position"), "\(query.body)")
        }
    }

    @Test func statusesAreThoseOfTheTable() throws {
        let errors: [(RealmError, Int)] = [
            (.invalidValue(""), 422), (.duplicatePrimaryKey(className: "", key: ""), 409),
            (.noPrimaryKey(className: ""), 500), (.invalidated(className: "", key: ""), 410),
            (.invalidObject(""), 500), (.superseded, 409), (.invalidChangeToken(""), 400),
            (.historyTrimmed(oldest: nil), 410), (.streamOverflow(bufferLimit: 1), 503),
            (.writerBusy(holder: ""), 503), (.readOnly, 500), (.closed, 503), (.outOfSpace, 507),
            (.tooManyActiveVersions(active: 1, limit: 1, holders: []), 503),
            (.commitOutcomeUnknown(cause: ""), 500), (.durabilityLost(cause: ""), 503),
            (.corrupted(segment: "", offset: 0, reason: ""), 503), (.alreadyWriting, 500),
            (.io(operation: "", path: "", code: 5), 503), (.notInWriteTransaction, 500),
            (.versionUnavailable(reason: "", oldest: nil), 410),
            (.noSpaceToOpen(path: "", reason: ""), 507),
        ]
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Documentation/Errors.md").standardized
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        for (error, status) in errors {
            #expect(error.httpStatus.code == status, "\(error)")
            let name = String("\(Mirror(reflecting: error).children.first?.label ?? "")")
            guard !name.isEmpty else { continue }
            let row = try #require(lines.first { $0.hasPrefix("| `.\(name)`") }, "\(name)")
            #expect(row.hasSuffix("| \(status) |"), "\(row)")
        }
    }

    @Test func pagesGoOnBehindTheirCursorWhileOrdersComeAndGo() async throws {
        try await Service.with { service in
            let lines = (0..<25).map { line("customer \($0 % 5)", "item \($0)") }
            _ = try await service.objects(
                "POST", "/orders/import", body: lines.joined(separator: "\n"))
            var (seen, cursor, pages) = ([String](), String?.none, 0)
            repeat {
                let after = cursor.map { "&after=\($0)" } ?? ""
                let page = try await service.objects("GET", "/orders?limit=10\(after)")
                let orders = try #require(page["orders"] as? [[String: Any]])
                seen += orders.compactMap { $0["item"] as? String }
                pages += 1
                // One that stands before every cursor moves no other.
                _ = try await service.objects("POST", "/orders", body: order("a", "new \(pages)"))
                cursor = page["next"] as? String
            } while cursor != nil
            #expect(pages == 3 && Set(seen).count == 25 && seen.count == 25)
            let some = try await service.objects(
                "GET", "/orders?customer=customer%201&query=item%20CONTAINS%20'1'")
            let items = (some["orders"] as? [[String: Any]])?.compactMap { $0["item"] as? String }
            #expect(Set(items ?? []) == ["item 1", "item 11", "item 16", "item 21"])
        }
    }

    @Test func anImportSaysWhichLinesItRefused() async throws {
        try await Service.with { service in
            var lines = (0..<1200).map { line("Ann", "item \($0)") }
            let first = try await service.objects(
                "POST", "/orders/import", body: lines.joined(separator: "\n") + "\n")
            #expect(first["imported"] as? Int == 1200)
            lines[0] = line("Ann", "another")
            lines[700] = line("Ann", "none", 0)
            let second = try await service.request(
                "POST", "/orders/import", body: lines.joined(separator: "\n"))
            #expect(second.status == 422 && second.body.contains("lines 501 to 1000"))
            // The first transaction of the second import is there, and nothing of the other ones.
            let metrics = try await service.request("GET", "/metrics").body
            #expect(metrics.contains("\nrealm_commits_total 4\n"), "\(metrics)")
            let long = try await service.request(
                "POST", "/orders/import", body: String(repeating: "x", count: 200_000))
            #expect(long.status == 413, "\(long.body)")
            // Also one whose end comes before it was found to be too long.
            let item = String(repeating: "x", count: OrderRoutes.orderLimit)
            let whole = try await service.request(
                "POST", "/orders/import", body: line("Ann", item) + "\n")
            #expect(whole.status == 413, "\(whole.body)")
        }
    }

    @Test func changesGoOnBehindTheLastEventAfterARestart() async throws {
        try await Service.with { service in
            let id = UUID()
            let put = #"{"id": "\#(id)", "customer": "Ann", "item": "tea"}"#
            let last = try await HTTPConnection.with(port: service.port) { connection in
                let head = try await connection.begin("GET", "/orders/changes")
                #expect(head.status == 200)
                var reader = EventReader()
                let hello = try await reader.next(&connection)
                #expect(hello?.id != nil && hello?.data == "")
                _ = try await service.objects("PUT", "/orders/\(id)", body: put)
                let event = try #require(try await reader.next(&connection))
                let data = try event.objects()
                #expect(data["author"] as? String == "PUT /orders")
                let inserted = try #require(data["inserted"] as? [[String: Any]])
                #expect(inserted.map { $0["id"] as? String } == [id.uuidString])
                // A graceful end ends the stream, although nothing comes.
                service.terminate()
                #expect(try await reader.next(&connection) == nil)
                return try #require(event.id)
            }
            #expect(await service.ended() == 0)
            try await service.start()
            _ = try await service.objects("PATCH", "/orders/\(id)", body: #"{"status": "paid"}"#)
            #expect(try await service.request("DELETE", "/orders/\(id)").status == 204)
            await service.kill()
            try await service.start()
            _ = try await service.objects("POST", "/orders", body: order("Bo", "rice"))
            try await HTTPConnection.with(port: service.port) { connection in
                _ = try await connection.begin(
                    "GET", "/orders/changes", headers: [("Last-Event-ID", last)])
                var reader = EventReader()
                #expect(try await reader.next(&connection)?.id == last)
                var names: [String?] = []
                for _ in 0..<3 {
                    let event = try #require(try await reader.next(&connection))
                    let data = try event.objects()
                    names.append(data["author"] as? String)
                    if names.count == 2 {
                        #expect(data["deleted"] as? [String] == [id.uuidString])
                    }
                }
                #expect(names == ["PATCH /orders", "DELETE /orders", "POST /orders"])
            }
            let other = try await service.request(
                "GET", "/orders/changes", headers: [("Last-Event-ID", last + "AAAA")])
            #expect(other.status == 400, "\(other.body)")
        }
    }

    @Test func aGracefulEndFinishesRequestsAndLeavesAWholeStore() async throws {
        try await Service.with { service in
            let port = service.port
            let progress = Progress(port)
            let writers = (0..<4).map { writer in
                Task {
                    var acknowledged = 0
                    try? await HTTPConnection.with(port: port) { connection in
                        while true {
                            let answer = try await connection.request(
                                "POST", "/orders", body: order("c\(writer)", "item"))
                            guard answer.status == 201 else { return }
                            acknowledged += 1
                            progress.answers.add(1, ordering: .relaxed)
                        }
                    }
                    return acknowledged
                }
            }
            try await progress.waitUntil(answers: 40)
            service.terminate()
            #expect(await service.ended() == 0)
            var acknowledged = 0
            for writer in writers { acknowledged += await writer.value }
            let realm = try await Realm.open(
                Realm.Configuration(path: service.store, objectTypes: [Order.self]))
            let report = try await realm.verify()
            #expect(report.problems.isEmpty, "\(report)")
            let count = realm.objects(Order.self).count
            // An answer may be lost with its connection, one for each.
            #expect(count >= acknowledged && count <= acknowledged + 4 && acknowledged >= 40)
            try await realm.close()
        }
    }
}
