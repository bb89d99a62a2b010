import Foundation
import RealmActors
import Testing

/// The page that looks at a store, in a browser.
@Suite(.timeLimit(.minutes(10))) struct BrowserTests {
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
            try await BrowsedPage.with(kennel.path) { page in
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
