import Foundation
import RealmActors
import Testing

@testable import realmactors

/// The lines of the shell, as they are edited.
@Suite(.timeLimit(.minutes(10))) struct ShellTests {
    /// The line after some keys.
    private static func edited(
        _ keys: [Key], history: [String] = [], words: [String] = []
    ) -> LineEditor {
        var editor = LineEditor(history: history) { _ in words }
        for key in keys { #expect(editor.press(key) == .editing) }
        return editor
    }

    private static func typed(_ text: String) -> [Key] { text.map { .character($0) } }

    @Test func keysEditALine() {
        let cases: [(keys: [Key], text: String, cursor: Int)] = [
            (Self.typed("ac") + [.left, .character("b")], "abc", 2),
            (Self.typed("abc") + [.home, .delete, .end, .backspace], "b", 1),
            (Self.typed("abc") + [.left, .left, .eraseBehind], "a", 1),
            (Self.typed("abc") + [.left, .eraseBefore], "c", 0),
            (Self.typed("one two ") + [.eraseWord], "one ", 4),
            (Self.typed("abc") + [.home, .endOfInput], "bc", 0),
            (Self.typed("a") + [.right, .right, .left, .left, .backspace], "a", 0),
            // An accent by itself, behind its letter.
            (Self.typed("e") + [.character("\u{301}")], "\u{E9}", 1),
        ]
        for (keys, text, cursor) in cases {
            let editor = Self.edited(keys)
            #expect(editor.text == text && editor.cursor == cursor, "\(keys)")
        }
    }

    @Test func keysEndALine() {
        var editor = LineEditor()
        #expect(editor.press(.endOfInput) == .endOfInput)
        #expect(editor.press(.character("a")) == .editing)
        #expect(editor.press(.interrupt) == .interrupted)
        #expect(editor.press(.enter) == .line("a"))
    }

    @Test func linesFromBeforeComeBackAndTheNewOneIsKept() {
        let history = ["first", "second"]
        let draft = Self.typed("new")
        #expect(Self.edited(draft + [.up], history: history).text == "second")
        #expect(Self.edited(draft + [.up, .up, .up], history: history).text == "first")
        #expect(Self.edited(draft + [.up, .up, .down], history: history).text == "second")
        #expect(Self.edited(draft + [.up, .down, .down], history: history).text == "new")
    }

    @Test func wordsAreCompletedAsFarAsTheyAgree() {
        let words = ["name", "names", "age"]
        let one = Self.edited(Self.typed("(a") + [.tab], words: words)
        #expect(one.text == "(age" && one.choices.isEmpty)
        let two = Self.edited(Self.typed("n") + [.tab], words: words)
        #expect(two.text == "name" && two.choices == ["name", "names"])
        let none = Self.edited(Self.typed("x") + [.tab], words: words)
        #expect(none.text == "x" && none.choices.isEmpty)
        let middle = Self.edited(Self.typed("a > 2") + [.home, .right, .tab], words: words)
        #expect(middle.text == "age > 2" && middle.cursor == 3)
    }

    @Test func completionsFollowLinks() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            let completion = ShellCompletion(commands: ["query", "get"], schema: realm.schema)
            #expect(completion.words(behind: "") == ["Chip", "Dog", "Person", "get", "query"])
            #expect(completion.words(behind: "query ") == ["Chip", "Dog", "Person"])
            #expect(completion.words(behind: "Person ") == ["name", "wealth"])
            #expect(completion.words(behind: "query Dog \"age > 2 AND ").contains("owner"))
            #expect(completion.words(behind: "Dog (friends.owner.") == ["name", "wealth"])
            #expect(completion.words(behind: "Dog nobody.").isEmpty)
            try await realm.close()
        }
    }

    @Test func bytesOfATerminalAreKeys() {
        let cases: [(bytes: String, keys: [Key])] = [
            ("a\u{E9}\u{20AC}\u{1F415}", Self.typed("a\u{E9}\u{20AC}\u{1F415}")),
            ("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
            ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[3~", [.home, .end, .home, .end, .delete]),
            ("\u{1B}[1;5C\u{1B}xb\u{1B}[200~", [.right, .character("b")]),
            (
                "\t\r\n\u{3}\u{4}\u{7F}",
                [.tab, .enter, .enter, .interrupt, .endOfInput, .backspace]
            ),
            ("\u{1}\u{5}\u{B}\u{15}\u{17}", [.home, .end, .eraseBehind, .eraseBefore, .eraseWord]),
        ]
        for (bytes, keys) in cases {
            var decoder = KeyDecoder()
            #expect(bytes.utf8.compactMap { decoder.take($0) } == keys)
        }
        // Bytes that are no text are passed over.
        var decoder = KeyDecoder()
        let broken: [UInt8] = [0x80, 0xC3, 0x28, 0x61]
        #expect(broken.compactMap { decoder.take($0) } == [.character("a")])
    }

    @Test func linesAreEditedOnATerminal() async throws {
        try await Kennel.with { kennel in
            let terminal = try PseudoTerminal()
            let tool = try Tool(
                ["shell", kennel.path], environment: ["TERM": "xterm", "COLUMNS": "100"],
                terminal: terminal)
            defer { tool.end() }
            try tool.start()
            try await terminal.shows("realm> ", while: tool)
            try terminal.press("Do\t ow\t.we\t > 5\r")
            try await terminal.shows("Dog owner.wealth > 5", while: tool)
            try await terminal.shows("\r\n", while: tool)
            try await terminal.shows("realm> ", while: tool)
            // The line once more, with another number.
            try terminal.press("\u{1B}[A\u{7F}0\r")
            try await terminal.shows("Dog owner.wealth > 0", while: tool)
            try await terminal.shows("\r\n", while: tool)
            try await terminal.shows("realm> ", while: tool)
            try terminal.press("nonsense\u{3}")
            try await terminal.shows("^C", while: tool)
            try await terminal.shows("realm> ", while: tool)
            try terminal.press("\u{4}")
            let run = try await tool.finish()
            #expect(run.status == 0)
            #expect(run.output.components(separatedBy: "Rex").count == 3)
            #expect(run.output.components(separatedBy: "Tom").count == 2)
        }
    }
}
