extension StyleRule {
    static let fileLength = StyleRule("files have at most 400 lines, tests 600") { file in
        let limit = file.kind == .test ? 600 : 400
        guard file.lines.count > limit else { return [] }
        return [StyleFinding(path: file.path, line: limit, what: "\(file.lines.count) lines")]
    }

    static let lineLength = StyleRule("lines have at most 100 columns") { file, index in
        let columns = file.lines[index].text.count
        return columns > 100 ? "\(columns) columns" : nil
    }

    static let ascii = StyleRule("sources are ASCII") { file, index in
        file.lines[index].text.utf8.allSatisfy { $0 < 128 } ? nil : "a byte that is not ASCII"
    }

    static let functionLength = StyleRule("functions have at most 70 lines") { file, index in
        guard let length = functionLength(file, from: index), length > 70 else { return nil }
        let body = file.lines[index..<(index + length)]
        guard let longest = longestCase(of: body) else { return "a function of \(length) lines" }
        return longest > caseLengthMax ? "a switch with a case of \(longest) lines" : nil
    }

    private static let caseLengthMax = 20

    /// The lines of the longest case of a function that is nothing but a switch, which is a table;
    /// nil for any other.
    private static func longestCase(of function: ArraySlice<SourceFile.Line>) -> Int? {
        guard let first = function.first else { return nil }
        var ends: [Int] = []
        for line in function.dropLast().reversed()
        where line.indentation == first.indentation + 4 {
            let code = line.code.drop { $0 == " " }
            let isEnd = ends.isEmpty && code == "}"
            if isEnd || !ends.isEmpty && code.hasPrefix("case ") {
                ends.append(line.number)
            } else {
                let above = function.last { $0.number == line.number - 1 }
                guard code.hasPrefix("switch "), let above, above.code.hasSuffix("{"),
                    above.indentation == first.indentation
                else { return nil }
                return zip(ends, ends.dropFirst()).map { $0 - $1 }.max()
            }
        }
        return nil
    }

    /// The lines of the function that begins at a line; nil when none does. The formatter puts the
    /// closing brace under the first letter of the declaration.
    private static func functionLength(_ file: SourceFile, from index: Int) -> Int? {
        let first = file.lines[index]
        guard beginsFunction(first.code) else { return nil }
        for line in file.lines[(index + 1)...] {
            let text = line.text.drop { $0 == " " }
            guard !text.isEmpty, line.indentation <= first.indentation else { continue }
            guard line.indentation == first.indentation else { return nil }
            if text.hasPrefix("}") { return line.number - first.number + 1 }
            // The end of a signature of several lines; anything else begins a new declaration.
            let continuesSignature = [")", "{", "where", "->", "\"\"\""].contains {
                text.hasPrefix($0)
            }
            if !continuesSignature { return nil }
        }
        return nil
    }

    private static func beginsFunction(_ code: String) -> Bool {
        for word in code.split(separator: " ") {
            if word == "func" || word.hasPrefix("init(") || word.hasPrefix("init?(")
                || word.hasPrefix("init<") || word.hasPrefix("subscript(")
                || word.hasPrefix("subscript<") || word == "deinit"
            {
                return true
            }
            if !modifiers.contains(String(word)), !word.hasPrefix("@"), !word.contains("(") {
                return false
            }
        }
        return false
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "override", "mutating", "nonmutating", "consuming", "borrowing", "required",
        "convenience", "nonisolated", "isolated", "prefix", "postfix", "infix",
    ]
}
