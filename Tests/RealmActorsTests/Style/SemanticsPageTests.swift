import Foundation
import Testing

/// Each case of the page has a test, and each code in a test its case.
@Suite struct SemanticsPageTests {
    @Test func everyRowIsCheckedAndEveryCodeHasARow() throws {
        let page = SemanticsPage(try SourceTree.text(SemanticsPage.path))
        #expect(page.rows.count > 150)
        let campaigns = try SourceTree.text("Documentation/Reliability.md")
            .matches(of: /\n\| (C[0-9]+) \|/).map { String($0.1) }
        let findings = page.findings(
            in: try SourceTree.files(), rejections: Set(Snippet.rejectedSnippets.map(\.name)),
            campaigns: Set(campaigns))
        for finding in findings { Issue.record("\(finding)") }
    }

    @Test func thePageIsFoundFromTheOthers() throws {
        for page in ["README.md", "CONTRIBUTING.md", "Documentation/RealmCompatibility.md"] {
            #expect(try SourceTree.text(page).contains("Semantics.md"), "\(page)")
        }
    }

    /// What each side must object to.
    @Test func whatIsMissingIsNamed() {
        let page = SemanticsPage(
            """
            | code | case | what happens |
            | Y1 | a | b |
            | Y2 | a | Does not compile: `a`. |
            | Y3 | a | Does not compile: `b`. |
            | Y4 | a | b |
            | Y1 | a | b |
            | Y5 | a | b |
            """)
        let file = SourceFile(
            path: "A.swift", kind: .test,
            text: """
                @Test("Y1, Y7: a")
                @Test(
                    "Y4: a",
                    arguments: ["Y8: b"])
                @Test("a case of Y5") // C20, Y9, XY1
                """)
        let found = page.findings(in: [file], rejections: ["a"], campaigns: ["C20"])
        #expect(
            found.map(\.description) == [
                "\(SemanticsPage.path):4: no program 'b' must not compile",
                "\(SemanticsPage.path):6: a second row Y1",
                "\(SemanticsPage.path):7: no title of a test begins with Y5",
                "A.swift:1: \(SemanticsPage.path) has no row Y7",
                "A.swift:5: \(SemanticsPage.path) has no row Y9",
            ])
    }
}
