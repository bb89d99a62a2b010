import Testing

/// What a rule found, and where.
struct StyleFinding: Sendable, CustomStringConvertible {
    var path: String
    var line: Int
    var what: String

    var description: String { "\(path):\(line): \(what)" }
}

/// One rule of the style that this package is written in.
struct StyleRule: Sendable, CustomTestStringConvertible {
    let name: String
    let findings: @Sendable (SourceFile) -> [StyleFinding]

    var testDescription: String { name }

    init(_ name: String, _ findings: @escaping @Sendable (SourceFile) -> [StyleFinding]) {
        self.name = name
        self.findings = findings
    }

    /// A rule that looks at one line at a time; it gives what is wrong with it, or nil.
    init(
        _ name: String, lineByLine check: @escaping @Sendable (SourceFile, Int) -> String?
    ) {
        self.init(name) { file in
            file.lines.indices.compactMap { index in
                check(file, index).map {
                    StyleFinding(path: file.path, line: file.lines[index].number, what: $0)
                }
            }
        }
    }

    static let all: [StyleRule] = [
        fileLength, functionLength, lineLength, ascii, bannedTokens, unfinishedBusiness,
        replacedTokens, uncheckedReasons, unsafeReasons, visibleMutex, closedSwitches, timeLimits,
    ]
}
