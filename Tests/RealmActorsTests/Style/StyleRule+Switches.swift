extension StyleRule {
    /// Where switches over the closed sets of this package stand: kinds of values, conditions,
    /// operators, aggregates, kinds of nodes. A new case there must not fall into a `default`.
    private static let closedFolders = [
        "Sources/RealmActors/QueryEngine/", "Sources/RealmActors/Querying/",
        "Sources/RealmActors/Models/", "Sources/Storage/Trees/", "Sources/Storage/Nodes/",
    ]

    /// Files with a `default` behind cases that look like those of an enum, and why that is right.
    private static let openSwitches = [
        "Sources/Storage/Nodes/Column/ChunkShape.swift": "a width is a number, with names for some"
    ]

    static let closedSwitches = StyleRule("switches over closed sets name every case") {
        file, index in
        let line = file.lines[index]
        guard line.code.drop(while: { $0 == " " }).hasPrefix("default:"),
            closedFolders.contains(where: { file.path.hasPrefix($0) }),
            openSwitches[file.path] == nil
        else { return nil }
        let pattern = patterns(file, above: index).first { isEnumCase($0) }
        return pattern.map { "a default beside 'case \($0.prefix(20))'" }
    }

    /// The patterns of the cases of a switch, from its `default` upwards.
    private static func patterns(_ file: SourceFile, above index: Int) -> [Substring] {
        let indentation = file.lines[index].indentation
        var patterns: [Substring] = []
        for line in file.lines[..<index].reversed() where line.indentation == indentation {
            let code = line.code.drop { $0 == " " }
            if code.hasPrefix("case ") { patterns.append(code.dropFirst("case ".count)) }
            if code.contains("switch ") { break }
        }
        return patterns
    }

    /// Integers, texts, casts and constants of other types have no end; what begins with a dot,
    /// by itself or in a tuple, is one of so many.
    private static func isEnumCase(_ pattern: Substring) -> Bool {
        pattern.drop { $0 == "(" }.hasPrefix(".") || pattern.hasPrefix("let .")
    }
}
