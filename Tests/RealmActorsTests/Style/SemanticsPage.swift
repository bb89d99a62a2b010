import Foundation

/// `Documentation/Semantics.md`: what happens in each case, and what checks it.
struct SemanticsPage {
    static let path = "Documentation/Semantics.md"

    /// A case of the page.
    struct Row {
        let line: Int
        let code: String
        /// The program that must not compile, if one checks the case.
        let rejection: String?
    }

    let rows: [Row]

    init(_ text: String) {
        rows = text.components(separatedBy: "\n").enumerated().compactMap { index, line in
            guard let row = line.prefixMatch(of: #/\| ([A-Z][0-9]+) \| /#) else { return nil }
            let rejection = line.firstMatch(of: /Does not compile: `([^`]+)`/)
            return Row(
                line: index + 1, code: String(row.1), rejection: rejection.map { String($0.1) })
        }
    }

    /// What is wrong between the page and the sources: a code that two rows have, a row that
    /// nothing checks, and a code of a title or a comment that no row has. Campaigns have codes of
    /// another page, `campaigns`.
    func findings(
        in files: [SourceFile], rejections: Set<String>, campaigns: Set<String>
    ) -> [StyleFinding] {
        let citations = files.flatMap(CaseCitation.all(in:))
        let checked = Set(citations.filter(\.isTitle).map(\.code))
        var codes: Set<String> = []
        var findings: [StyleFinding] = []
        for row in rows {
            if !codes.insert(row.code).inserted {
                findings.append(finding(row, "a second row \(row.code)"))
            }
            if let rejection = row.rejection, !rejections.contains(rejection) {
                findings.append(finding(row, "no program '\(rejection)' must not compile"))
            }
            if row.rejection == nil, !checked.contains(row.code) {
                findings.append(finding(row, "no title of a test begins with \(row.code)"))
            }
        }
        for citation in citations where !codes.contains(citation.code) {
            if !citation.isTitle, campaigns.contains(citation.code) { continue }
            findings.append(
                StyleFinding(
                    path: citation.path, line: citation.line,
                    what: "\(Self.path) has no row \(citation.code)"))
        }
        return findings
    }

    private func finding(_ row: Row, _ what: String) -> StyleFinding {
        StyleFinding(path: Self.path, line: row.line, what: what)
    }
}

/// A code of a case in the title of a test, which begins with it, or in a comment.
struct CaseCitation: Hashable {
    let path: String
    let line: Int
    let code: String
    let isTitle: Bool

    static func all(in file: SourceFile) -> [CaseCitation] {
        file.lines.indices.flatMap { index -> [CaseCitation] in
            let line = file.lines[index]
            func citation(_ code: Substring, isTitle: Bool) -> CaseCitation {
                CaseCitation(
                    path: file.path, line: line.number, code: String(code), isTitle: isTitle)
            }
            let titles = title(file, index).map { $0.matches(of: /[A-Z][0-9]+/) } ?? []
            let comments =
                mayHaveCode(line.comment) ? line.comment.matches(of: /\b[A-Z][0-9]{1,2}\b/) : []
            return titles.map { citation($0.output, isTitle: true) }
                + comments.map { citation($0.output, isTitle: false) }
        }
    }

    /// A capital with a digit behind it. Most comments have none, and matching takes long.
    private static func mayHaveCode(_ comment: String) -> Bool {
        zip(comment.utf8, comment.utf8.dropFirst()).contains {
            (0x41...0x5A).contains($0) && (0x30...0x39).contains($1)
        }
    }

    /// The codes in front of a title, which stands behind `@Test(` or on the line below that.
    private static func title(_ file: SourceFile, _ index: Int) -> Substring? {
        let code = file.lines[index].code.drop { $0 == " " }
        if code.hasPrefix("@Test("),
            let match = code.prefixMatch(of: #/@Test\("([A-Z][0-9]+(?:, [A-Z][0-9]+)*): /#)
        {
            return match.1
        }
        guard index > 0, file.lines[index - 1].code.hasSuffix("@Test(") else { return nil }
        return code.prefixMatch(of: #/"([A-Z][0-9]+(?:, [A-Z][0-9]+)*): /#)?.1
    }
}
