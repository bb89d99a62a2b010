import Foundation
import HTTPClient
import RealmActors
import Testing

/// The models of a newer program, which has added a property.
private enum Later {
    final class Person: Object, IndexedModel {
        @Persisted(primaryKey: true) var name: String
        @Persisted var wealth: Double
        @Persisted var city: String

        static var indexes: [Index<Person>] {
            [Index(unique: .ascending(\.name), .descending(\.wealth))]
        }
    }
}

/// Those of one that has taken a property away.
private enum Less {
    final class Person: Object {
        @Persisted(primaryKey: true) var name: String
    }
}

/// What the page that looks at a store is answered, over HTTP.
@Suite(.timeLimit(.minutes(10))) struct BrowseTests {
    @Test func requestsOfOtherPagesAreRefused() async throws {
        try await Kennel.with { kennel in
            try await BrowsedPage.with(kennel.path) { page in
                let port = page.port
                let own = try await page.request("classes")
                #expect(own.status == 200)
                let policy = try #require(own.header("Content-Security-Policy"))
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
                #expect(own.header("X-Content-Type-Options") == "nosniff")
                let named = try await page.request(
                    "classes", headers: [("Host", "localhost:\(port)")])
                #expect(named.status == 200)
                for host in ["evil.example:\(port)", "127.0.0.1:1", "127.0.0.1", ""] {
                    let answer = try await page.request("classes", headers: [("Host", host)])
                    #expect([400, 421].contains(answer.status), "\(host): \(answer.status)")
                    #expect(!answer.body.contains("Dog"))
                }
                for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
                    let answer = try await page.request("classes", headers: [("Origin", origin)])
                    #expect(answer.status == 403 && !answer.body.contains("Dog"), "\(origin)")
                }
                let same = try await page.request(
                    "classes", headers: [("Origin", "http://127.0.0.1:\(port)")])
                #expect(same.status == 200)
                for path in ["/", "/classes", "/x\(page.token.dropFirst())/classes"] {
                    let answer = try await HTTPConnection.request("GET", path, port: port)
                    #expect(answer.status == 403 && !answer.body.contains("Dog"), "\(path)")
                }
                // It only reads.
                let reference = try await page.reference("Dog", "id == 1")
                let delete = try await page.request(
                    "delete", method: "POST", headers: [("Content-Type", "application/json")],
                    body: #"{"ref": "\#(reference)"}"#)
                #expect(delete.status == 404)
            }
        }
    }

    @Test func rowsAndObjectsAreShownWithTheirLinks() async throws {
        try await Kennel.with { kennel in
            try await BrowsedPage.with(kennel.path) { page in
                let known = try await page.objects("classes")
                let classes = try #require(known["classes"] as? [[String: Any]])
                let counts = classes.map { ($0["name"] as? String, $0["count"] as? Int) }
                #expect(
                    counts.contains { $0 == ("Dog", 3) } && counts.contains { $0 == ("Person", 2) })
                var (after, seen) = ("", [[String]]())
                repeat {
                    let rows = try await page.objects(
                        "rows?class=Dog&limit=2&sort=name&descending=true&after=\(after)")
                    let texts = try #require(rows["rows"] as? [[String: Any]]).map { row in
                        (row["cells"] as? [[String: Any]])?[1]["text"] as? String ?? ""
                    }
                    seen.append(texts)
                    after = rows["next"] as? String ?? ""
                } while !after.isEmpty
                #expect(seen == [["Tom", "Rex"], ["Kit, the\\ncat"]])
                let wrong = try await page.request("rows?class=Dog&query=age%20%3E%3E%201")
                #expect(wrong.status == 400 && wrong.body.contains("^"))
                #expect(try await page.request("rows?class=Cat").status == 404)
                #expect(try await page.request("object?ref=x").status == 400)
                let explained = try await page.objects("rows?class=Dog&explain=true&query=id%3D1")
                #expect((explained["explanation"] as? String)?.contains("access:") == true)
                // Along the inverse of a set, and of a link.
                for (origin, query, property) in [
                    ("Dog", "id == 3", "friends"), ("Person", "name == 'Ann'", "owner"),
                ] {
                    let ref = try await page.reference(origin, query)
                    let object = try await page.objects("object?ref=\(ref)")
                    let inverses = try #require(object["inverses"] as? [[String: Any]])
                    #expect(inverses.map { $0["property"] as? String } == [property])
                }
                let diagram = try await page.request("schema.svg")
                #expect(diagram.status == 200 && diagram.body.hasPrefix("<svg"))
            }
        }
    }

    @Test func changesAreMadeWhereTheyAreAllowed() async throws {
        try await Kennel.with { kennel in
            try await BrowsedPage.with(kennel.path, ["--write"]) { page in
                let json = [("Content-Type", "application/json")]
                let rex = try await page.reference("Dog", "id == 1")
                func set(_ property: String, _ text: String) async throws -> HTTPAnswer {
                    let body = ["ref": rex, "property": property, "text": text]
                    let data = try JSONSerialization.data(withJSONObject: body)
                    return try await page.request(
                        "set", method: "POST", headers: json,
                        body: String(decoding: data, as: UTF8.self))
                }
                #expect(try await set("name", "a\"b</script>").status == 200)
                #expect(try await set("age", "7").status == 200)
                for (name, text) in [("age", "old"), ("id", "9"), ("colour", "red")] {
                    #expect(try await set(name, text).status == 400, "\(name)")
                }
                let form = try await page.request(
                    "delete", method: "POST", headers: [("Content-Type", "text/plain")],
                    body: #"{"ref": "\#(rex)"}"#)
                #expect(form.status == 415)
                let broken = try await page.request(
                    "set", method: "POST", headers: json, body: "{")
                #expect(broken.status == 400 && broken.body.contains("not a valid change"))
                let tom = try await page.reference("Dog", "id == 3")
                let delete = try await page.request(
                    "delete", method: "POST", headers: json, body: #"{"ref": "\#(tom)"}"#)
                #expect(delete.status == 200, "\(delete.body)")
                #expect(try await page.request("object?ref=\(tom)").status == 404)
            }
            let realm = try await kennel.open()
            #expect(realm.objects(Dog.self).map(\.id).sorted() == [1, 2])
            let rex = try #require(realm.object(Dog.self, forPrimaryKey: 1))
            #expect(rex.name == "a\"b</script>" && rex.age == 7 && rex.owner?.name == "Ann")
            try await realm.close()
        }
    }

    /// The page had a column then of which the rows have nothing, and showed an error in their
    /// place.
    @Test func aClassIsShownToWhichAProgramHasAddedAProperty() async throws {
        try await Kennel.with { kennel in
            try await BrowsedPage.with(kennel.path) { page in
                let service = try await Realm.open(
                    Realm.Configuration(
                        path: kennel.path, objectTypes: [Later.Person.self], schemaVersion: 4))
                try await service.write { tx in
                    _ = try tx.create(Later.Person.self, value: ["name": "Cy", "city": "Ulm"])
                }
                while true {
                    let known = try await page.objects("classes")
                    try #require(known["failure"] == nil, "\(known)")
                    let rows = try await page.objects("rows?class=Person")
                    if rows["count"] as? Int == 3 { break }
                    try await Task.sleep(for: .milliseconds(5))
                }
                let cy = try await page.reference("Person", "name == 'Cy'")
                let object = try await page.objects("object?ref=\(cy)")
                let fields = try #require(object["fields"] as? [[String: Any]])
                #expect(fields.map { $0["name"] as? String } == ["name", "wealth"])
                try await service.close()
            }
        }
    }

    /// It continued to show the previous state, as if nothing had been written since.
    @Test func aPageSaysThatItDoesNotFollowAnyMore() async throws {
        try await Kennel.with { kennel in
            try await BrowsedPage.with(kennel.path) { page in
                #expect(try await page.objects("classes")["failure"] == nil)
                let service = try await Realm.open(
                    Realm.Configuration(
                        path: kennel.path, objectTypes: [Less.Person.self], schemaVersion: 4))
                try await service.write { tx in
                    _ = try tx.create(Less.Person.self, value: ["name": "Cy"])
                }
                while try await page.objects("classes")["failure"] as? String == nil {
                    try await Task.sleep(for: .milliseconds(5))
                }
                try await service.close()
            }
        }
    }

    /// A page of fifty of them was more than a browser takes.
    @Test func longValuesAreCutWhereManyAreShown() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let (text, photo) = (String(repeating: "x", count: 300_000), Data(count: 200_000))
            try await service.write { tx in
                tx.object(Dog.self, forPrimaryKey: 1)?.mood = .string(text)
                tx.object(Dog.self, forPrimaryKey: 1)?.photo = photo
            }
            try await service.close()
            for arguments in [[], ["--write"]] {
                try await BrowsedPage.with(kennel.path, arguments) { page in
                    for path in ["rows?class=Dog", "history"] {
                        let answer = try await page.request(path)
                        #expect(answer.status == 200 && answer.body.utf8.count < 20_000, "\(path)")
                        #expect(answer.body.contains("xxx..."), "\(path)")
                    }
                    // One object is shown as a whole, and can be changed as far as anybody types
                    // it.
                    let rex = try await page.reference("Dog", "id == 1")
                    let object = try await page.objects("object?ref=\(rex)")
                    let fields = try #require(object["fields"] as? [[String: Any]])
                    func field(_ name: String) -> [String: Any]? {
                        fields.first { $0["name"] as? String == name }
                    }
                    let value = field("mood")?["value"] as? [String: Any]
                    #expect(value?["text"] as? String == text)
                    #expect(field("mood")?["exact"] == nil && field("photo")?["exact"] == nil)
                    #expect(field("age")?["exact"] as? String == (arguments.isEmpty ? nil : "3"))
                }
            }
        }
    }

    @Test func commitsOfAnotherProcessAreTold() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            try await BrowsedPage.with(kennel.path) { page in
                let rex = try await page.reference("Dog", "id == 1")
                let start = try await HTTPConnection.with(port: page.port) { connection in
                    _ = try await connection.begin("GET", "/\(page.token)/events")
                    var reader = EventReader()
                    let start = try #require(try await reader.next(&connection))
                    #expect(start.name == "start")
                    try await service.write(author: "service") { tx in
                        tx.object(Dog.self, forPrimaryKey: 1)?.age = 4
                    }
                    try expectChange(try await reader.next(&connection), of: rex)
                    return start
                }
                try await HTTPConnection.with(port: page.port) { connection in
                    _ = try await connection.begin(
                        "GET", "/\(page.token)/events",
                        headers: [("Last-Event-ID", start.id ?? "")])
                    var reader = EventReader()
                    _ = try await reader.next(&connection)
                    try expectChange(try await reader.next(&connection), of: rex)
                }
                let history = try await page.request("history").body
                let pages = try #require(try BrowsedPage.json(history) as? [String: Any])
                let commits = try #require(pages["commits"] as? [[String: Any]])
                #expect(commits.first?["author"] as? String == "service")
                #expect(history.contains(#""values":{"age":4}"#), "\(history)")
            }
            try await service.close()
        }
    }

    @Test func aPageThatFollowsHearsThatTheCommandIsThere() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            try await BrowsedPage.with(kennel.path, ["--heartbeat", "0.05"]) { page in
                try await HTTPConnection.with(port: page.port) { connection in
                    _ = try await connection.begin("GET", "/\(page.token)/events")
                    var text = ""
                    while text.components(separatedBy: ": still here\n\n").count < 3 {
                        text += try #require(try await connection.nextPart())
                    }
                    // Between beats commits come as ever, with how long that took.
                    try await service.write { tx in
                        tx.object(Dog.self, forPrimaryKey: 1)?.age = 5
                    }
                    while !text.contains("\"delay\":") {
                        text += try #require(try await connection.nextPart())
                    }
                }
            }
            try await service.close()
        }
    }

    @Test func theHistoryComesInPages() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            for age in 0..<250 {
                try await service.write { tx in
                    tx.object(Dog.self, forPrimaryKey: 1)?.age = Int16(age)
                }
            }
            var expected: [UInt64] = []
            for try await commit in service.pastCommits() {
                expected.append(commit.version.rawValue)
            }
            try await BrowsedPage.with(kennel.path) { page in
                var (found, pages, path) = ([UInt64](), 0, "history")
                while true {
                    let answer = try await page.objects(path)
                    let commits = try #require(answer["commits"] as? [[String: Any]])
                    found += commits.compactMap { ($0["version"] as? NSNumber)?.uint64Value }
                    pages += 1
                    guard let next = answer["next"] as? NSNumber else { break }
                    path = "history?before=\(next)"
                }
                #expect(pages == 3 && found == expected.reversed())
            }
            try await service.close()
        }
    }

    /// The page showed 9007199254740992 for it.
    @Test func anIntegerOfTheHistoryHasAllItsDigits() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            try await service.write { tx in
                _ = try tx.create(Dog.self, value: ["id": 9_007_199_254_740_993])
            }
            try await BrowsedPage.with(kennel.path) { page in
                let history = try await page.request("history").body
                #expect(history.contains("\"key\":\"9007199254740993\""), "\(history)")
            }
            try await service.close()
        }
    }

    #if os(Linux)
        @Test func theProcessesThatHaveTheStoreOpenAreShown() async throws {
            try await Kennel.with { kennel in
                let service = try await kennel.open()
                try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.age = 4 }
                try await BrowsedPage.with(kennel.path) { page in
                    let answer = try await page.objects("holders")
                    let processes = try #require(answer["processes"] as? [[String: Any]])
                    let writers = processes.filter { $0["isWriter"] as? Bool == true }
                    #expect(writers.map { $0["process"] as? Int } == [Int(getpid())])
                    let own = try #require(answer["own"] as? Int)
                    #expect(own != Int(getpid()))
                    #expect(answer["versions"] is [Any])
                }
                try await service.close()
            }
        }
    #endif

    private func expectChange(_ event: ServerEvent?, of reference: String) throws {
        let text = try #require(event).data
        let data = try #require(try BrowsedPage.json(text) as? [String: Any])
        #expect(data["author"] as? String == "service")
        #expect((data["counts"] as? [String: Int])?["Dog"] == 3)
        let changes = try #require(data["changes"] as? [String: [String: [String]]])
        #expect(changes["Dog"]?["modified"] == [reference] && changes.count == 1)
    }
}
