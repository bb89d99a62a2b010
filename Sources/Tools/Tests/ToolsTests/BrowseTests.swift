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

/// The page that looks at a store, over HTTP and in a browser.
@Suite(.timeLimit(.minutes(10))) struct BrowseTests {
    /// A page that is served, and where.
    private struct Page {
        let address: String
        let port: Int
        let token: String

        /// Runs `body` with `browse` on a store.
        static func with(
            _ path: String, _ arguments: [String] = [], body: (Page) async throws -> Void
        ) async throws {
            let tool = try Tool(["browse", path] + arguments)
            defer { tool.end() }
            try tool.start()
            let address = try await tool.firstLine()
            let match = try #require(address.firstMatch(of: /http:\/\/127.0.0.1:(\d+)\/(\w+)\//))
            let port = try #require(Int(match.1))
            try await body(Page(address: address, port: port, token: String(match.2)))
            tool.end()
            let run = try await tool.finish()
            #expect(run.status == 0, "\(run.errors)")
        }

        func request(
            _ path: String, method: String = "GET", headers: [(String, String)] = [],
            body: String = ""
        ) async throws -> HTTPAnswer {
            try await HTTPConnection.request(
                method, "/\(token)/\(path)", port: port, headers: headers, body: body)
        }

        func objects(_ path: String) async throws -> [String: Any] {
            let answer = try await request(path)
            try #require(answer.status == 200, "\(answer.body)")
            return try #require(try BrowseTests.json(answer.body) as? [String: Any])
        }

        /// The reference of the first object that a query finds.
        func reference(_ className: String, _ query: String) async throws -> String {
            let text = try #require(
                query.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let page = try await objects("rows?class=\(className)&query=\(text)")
            return try #require((page["rows"] as? [[String: Any]])?.first?["ref"] as? String)
        }
    }

    private static func json(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    @Test func requestsOfOtherPagesAreRefused() async throws {
        try await Kennel.with { kennel in
            try await Page.with(kennel.path) { page in
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
            try await Page.with(kennel.path) { page in
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
                #expect((explained["explanation"] as? String)?.contains("find:") == true)
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
            try await Page.with(kennel.path, ["--write"]) { page in
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
                #expect(broken.status == 400 && broken.body.contains("no change"))
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
            try await Page.with(kennel.path) { page in
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

    /// It went on showing what there was before, as if nothing had been written since.
    @Test func aPageSaysThatItDoesNotFollowAnyMore() async throws {
        try await Kennel.with { kennel in
            try await Page.with(kennel.path) { page in
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
                try await Page.with(kennel.path, arguments) { page in
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
            try await Page.with(kennel.path) { page in
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
                let pages = try #require(try Self.json(history) as? [String: Any])
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
            try await Page.with(kennel.path, ["--heartbeat", "0.05"]) { page in
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
            try await Page.with(kennel.path) { page in
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

    #if os(Linux)
        @Test func theProcessesThatHaveTheStoreOpenAreShown() async throws {
            try await Kennel.with { kennel in
                let service = try await kennel.open()
                try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.age = 4 }
                try await Page.with(kennel.path) { page in
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
        let data = try #require(try Self.json(text) as? [String: Any])
        #expect(data["author"] as? String == "service")
        #expect((data["counts"] as? [String: Int])?["Dog"] == 3)
        let changes = try #require(data["changes"] as? [String: [String: [String]]])
        #expect(changes["Dog"]?["modified"] == [reference] && changes.count == 1)
    }

    @Test(.enabled(if: Browser.executable != nil, "no Chromium is installed"))
    func aBrowserWalksThroughAStoreAndSeesItChange() async throws {
        try await Kennel.with { kennel in
            // With old values in its history.
            var configuration = Kennel.configuration(kennel.path)
            configuration.history = .keep(bytes: 1 << 20)
            let service = try await Realm.open(configuration)
            try await service.write(author: "service") { tx in
                tx.object(Dog.self, forPrimaryKey: 2)?.name =
                    #"<img src=x onerror="window.hostile = 1"><b>"#
            }
            try await Page.with(kennel.path) { page in
                let browser = try Browser()
                do {
                    try await browser.visit(page.address)
                    try await walk(browser, service)
                    try await expectFit(browser)
                    await browser.end()
                } catch {
                    await browser.end()
                    throw error
                }
            }
            try await service.close()
        }
    }

    private func walk(_ browser: Browser, _ service: Realm) async throws {
        let rows = "document.querySelectorAll('.rows tbody tr')"
        let hostile = "window.hostile ?? document.querySelectorAll('main img, main b').length"
        try await browser.wait(until: "\(rows).length == 3 && document.querySelector('#live.on')")
        #expect(try await browser.evaluate(hostile) as? Int == 0)
        // A query with a mistake, then without.
        try await browser.press("/")
        try await browser.type("age >> 1")
        try await browser.press("Enter")
        try await browser.wait(
            until: "\(text("#mistake"))?.includes('^')")
        try await browser.evaluate("document.querySelector('#query').select()")
        try await browser.type("age > 2 SORT(age ASC)")
        try await browser.press("Enter")
        try await browser.wait(until: "\(rows).length == 2")
        // How it was found, drawn.
        try await browser.evaluate("document.activeElement.blur()")
        try await browser.press("e")
        try await browser.wait(until: "document.querySelectorAll('#explanation li').length > 2")
        let scanned = "[...document.querySelectorAll('#explanation meter')].map(each => each.value)"
        #expect(try await browser.evaluate("\(scanned).join()") as? String == "3,2")
        try await browser.press("e")
        try await browser.wait(until: "!document.querySelector('#explanation')")
        // Along a link, and back along its inverse.
        try await browser.evaluate("\(rows)[0].querySelector('td:nth-child(n+2) a').click()")
        try await browser.wait(until: "\(heading) == 'Person Ann'")
        try await browser.evaluate("document.querySelector('.inverse a').click()")
        try await browser.wait(until: "\(heading) == 'Dog 1'")
        try await follow(service, browser, rows)
        try await browser.press("s")
        try await browser.wait(until: "document.querySelector('img.schema')?.naturalWidth > 0")
        #expect(try await browser.evaluate("window.hostile") == nil)
    }

    private var heading: String { text("h1") }

    private func text(_ selector: String) -> String {
        "document.querySelector('\(selector)')?.textContent"
    }

    /// What another process writes is shown, and stands in the history.
    private func follow(_ service: Realm, _ browser: Browser, _ rows: String) async throws {
        try await service.write(author: "service") { tx in
            tx.object(Dog.self, forPrimaryKey: 1)?.age = 77
            try tx.create(Dog.self, value: ["id": 9, "name": "New"])
        }
        try await browser.wait(
            until: "[...document.querySelectorAll('tr.flash td.value')]"
                + ".some(cell => cell.textContent == '77')")
        try await browser.wait(
            until: "\(text("#classes a[data-name=Dog] .count")) == '4'")
        for chart in ["#chart", "#delays"] {
            try await browser.wait(
                until: "[...document.querySelectorAll('\(chart) rect')]"
                    + ".some(bar => bar.getAttribute('height') > 0)")
        }
        #expect(
            try await browser.evaluate("\(text("#delay")).startsWith('seen after ')") as? Bool
                == true)
        // By the keyboard to the class, its rows, and its second object.
        let index = try await browser.evaluate(
            "[...document.querySelectorAll('#classes a')]"
                + ".findIndex(link => link.dataset.name == 'Dog') + 1")
        try await browser.press("\(try #require(index as? Int))")
        try await browser.wait(until: "\(rows).length == 4")
        for key in ["j", "j", "Enter"] { try await browser.press(key) }
        try await browser.wait(until: "\(heading) == 'Dog 2'")
        let selected = "document.querySelectorAll('tr.selected').length"
        #expect(try await browser.evaluate(selected) as? Int == 0)
        try await browser.press("h")
        try await browser.wait(
            until: "\(text("main table"))?.includes('77')")
        let replaced = "[...document.querySelectorAll('main del')].map(each => each.textContent)"
        #expect(try await browser.evaluate("\(replaced).includes('3')") as? Bool == true)
        #if os(Linux)
            #expect(
                try await browser.evaluate("\(text("#holders"))?.includes('\(getpid())')") as? Bool
                    == true)
        #endif
        // What is unfolded stays so when the next commit comes.
        try await browser.evaluate("document.querySelector('details').open = true")
        try await service.write(author: "later") { tx in
            tx.object(Dog.self, forPrimaryKey: 9)?.age = 1
        }
        try await browser.wait(until: "\(text("main tbody tr"))?.includes('later')")
        #expect(
            try await browser.evaluate(
                "[...document.querySelectorAll('details')].findIndex(each => each.open)") as? Int
                == 1)
    }

    /// Nothing but tables is wider than a phone, and the colours are those of the system.
    private func expectFit(_ browser: Browser) async throws {
        _ = try await browser.call(
            "Emulation.setDeviceMetricsOverride",
            ["width": 375, "height": 700, "deviceScaleFactor": 1, "mobile": false])
        let page = "document.documentElement"
        for (view, heading) in [
            ("class/Dog", "Dog"), ("history", "History"), ("schema", "Schema"), ("keys", "Keys"),
        ] {
            try await browser.evaluate("location.hash = '#\(view)'")
            try await browser.wait(
                until: "document.querySelector('h1')?.textContent.startsWith('\(heading)')")
            let isFit = "\(page).scrollWidth <= \(page).clientWidth"
            #expect(try await browser.evaluate(isFit) as? Bool == true, "\(view)")
        }
        var colours: [String?] = []
        for scheme in ["light", "dark"] {
            _ = try await browser.call(
                "Emulation.setEmulatedMedia",
                ["features": [["name": "prefers-color-scheme", "value": scheme]]])
            let colour = "getComputedStyle(document.body).backgroundColor"
            colours.append(try await browser.evaluate(colour) as? String)
        }
        #expect(colours == ["rgb(253, 253, 252)", "rgb(21, 23, 26)"])
    }
}
