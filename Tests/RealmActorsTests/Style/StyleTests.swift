import Testing

/// The style that this package is written in, as far as a program can check it.
@Suite struct StyleTests {
    @Test(arguments: StyleRule.all)
    func everyFileFollows(_ rule: StyleRule) throws {
        let files = try SourceTree.files()
        #expect(files.count > 20, "the walk found too few files to be right")
        for finding in files.flatMap(rule.findings) {
            Issue.record("\(finding) (\(rule.name))")
        }
    }

    /// Where a file of the cases below would stand.
    private static let canary = "Sources/RealmActors/QueryEngine/Canary.swift"

    /// What each rule must object to: a rule that never fails checks nothing.
    @Test func everyRuleCanFail() {
        let long = String(repeating: "let x = 1\n", count: 401)
        let body = String(repeating: "        work()\n", count: 70)
        let table = Self.table(cases: 40)
        let cases: [(StyleRule, SourceFile.Kind, String)] = [
            (.fileLength, .library, long),
            (.fileLength, .test, long + long),
            (.functionLength, .library, "struct S {\n    func f() {\n\(body)    }\n}\n"),
            (.functionLength, .library, "    init?(\n        _ x: Int\n    ) {\n\(body)    }\n"),
            (.functionLength, .library, "func f() {\n    work()\n\(table)}\n"),
            (.functionLength, .library, "func f() {\n\(table)    work()\n}\n"),
            (.functionLength, .library, "func f() {\n    switch x {\n    case 1:\n\(body)    }\n}"),
            (.closedSwitches, .library, "switch x {\ncase .a, .b: 1\ndefault: 2\n}"),
            (.closedSwitches, .library, "switch (x, y) {\ncase (.a(let z), 1): z\ndefault: 2\n}"),
            (.timeLimits, .test, "@Suite(.time" + "Limit(.minutes(5))) struct A {"),
            (.timeLimits, .test, "@Test(.time" + "Limit(.minutes(5)))\nfunc f() async throws {"),
            (.lineLength, .library, String(repeating: "x", count: 101)),
            (.ascii, .test, "let \u{e9} = 1"),
            (.bannedTokens, .test, "let x = \(StyleRule.banned[0]) open()"),
            (.bannedTokens, .library, "    \(StyleRule.banned[1])\"no\")"),
            (.bannedTokens, .executable, "\(StyleRule.banned[2]).main.async {}"),
            (.bannedTokens, .library, "    \(StyleRule.printing)1)"),
            (.replacedTokens, .library, "await withTask" + "CancellationHandler { 1 }"),
            (.replacedTokens, .library, "let end: Continuous" + "Clock.Instant"),
            (.unfinishedBusiness, .library, "// \(StyleRule.unfinished[0]): later"),
            (.unfinishedBusiness, .library, "work()  // \(StyleRule.unfinished[1])"),
            (.uncheckedReasons, .library, "final class A: \(StyleRule.unchecked[0]) {}"),
            (.uncheckedReasons, .library, "// why\nlet x = 1\n\(StyleRule.unchecked[1]) var y = 2"),
            (.unsafeReasons, .library, "/// Reads.\nlet p: \(StyleRule.unsafe[0])<Int>"),
            (.unsafeReasons, .library, "/// Reads.\nfunc f() -> \(StyleRule.unsafe[0])<Int> {}"),
            (.unsafeReasons, .library, "f(a: \(StyleRule.unsafe[2])Pointer(start: b, count: 1))"),
            (.visibleMutex, .library, "import A\nlet x = Mu" + "tex(1)"),
            (.visibleMutex, .library, "import A\nlet x = Mu" + "tex<Int?>(nil)"),
            (.visibleMutex, .library, "import A\nlet x = key.with" + "Lock { $0 }"),
            (.unsafeReasons, .library, "bytes.\(StyleRule.unsafe[7])Bytes { $0.load(as: A.self) }"),
        ]
        for (rule, kind, text) in cases {
            let file = SourceFile(path: Self.canary, kind: kind, text: text)
            #expect(!rule.findings(file).isEmpty, "\(rule.name) accepts: \(text.prefix(60))")
        }
    }

    /// What a rule must not object to.
    @Test func rulesAcceptWhatIsRight() {
        let body = String(repeating: "        work()\n", count: 68)
        let cases: [(StyleRule, SourceFile.Kind, String)] = [
            (.fileLength, .test, String(repeating: "\n", count: 600)),
            (.functionLength, .library, "struct S {\n    func f() {\n\(body)    }\n}\n"),
            (.functionLength, .library, "protocol P {\n    func f()\n}\n\n\(body)\n}\n"),
            (.functionLength, .library, "func f(\n    _ x: Int\n) {\n\(Self.table(cases: 40))}\n"),
            (.closedSwitches, .library, "switch x {\ncase 1, 2: .a\ndefault: .b\n}"),
            (.closedSwitches, .library, "switch x {\ncase \"a\": 1\ndefault: 2\n}"),
            (.closedSwitches, .library, "switch x {\ncase let y as Int: y\ndefault: 2\n}"),
            (.closedSwitches, .library, "switch x {\ncase .a: 1\n@unknown default: 2\n}"),
            (.timeLimits, .test, "@Test(.time" + "Limit(.minutes(5))) func f() {\nf() async {"),
            (.bannedTokens, .executable, "\(StyleRule.printing)1)"),
            (.bannedTokens, .library, "blue\(StyleRule.printing)1)"),
            (.bannedTokens, .library, "let x = \"\"\"\n    \(StyleRule.banned[2])\n    \"\"\""),
            (.replacedTokens, .library, "await withCancellationHandler { 1 }"),
            (.unsafeReasons, .library, "func f(_ p: \(StyleRule.unsafe[0])<Int>, size: Int) {}"),
            (.unsafeReasons, .library, "f(\(StyleRule.unsafe[2])Pointer(bytes))"),
            (.visibleMutex, .library, "package import Storage\nlet x = Mu" + "tex(1)"),
            (
                .uncheckedReasons, .library,
                "// `x` is constant.\nfinal class A: "
                    + "\(StyleRule.unchecked[0]) {}"
            ),
            (
                .unsafeReasons, .library,
                "// Safe: it lives as long as self.\n@inlinable\nfunc f() "
                    + "{\n    g(\(StyleRule.unsafe[0])())\n}"
            ),
        ]
        for (rule, kind, text) in cases {
            let file = SourceFile(path: Self.canary, kind: kind, text: text)
            #expect(rule.findings(file).isEmpty, "\(rule.name) rejects: \(text.prefix(60))")
        }
    }

    /// A switch that is one more line than twice its cases.
    private static func table(cases count: Int) -> String {
        let cases = (1...count).map { "    case \($0):\n        work()\n" }.joined()
        return "    switch x {\n\(cases)    }\n"
    }
}
