import RealmActors

/// What may stand behind the beginning of a line of the shell.
struct ShellCompletion {
    let commands: [String]
    let schema: Schema

    /// Commands and classes at first, then classes until there is one, then its properties, along
    /// the links of a path.
    func words(behind before: String) -> [String] {
        // Names with control characters are not completed.
        all(behind: before).filter { Cell.visible($0) == $0 }
    }

    private func all(behind before: String) -> [String] {
        let words = before.split(whereSeparator: \.isWhitespace).map(String.init)
        let classes = schema.objectSchema.map(\.className).sorted()
        if words.isEmpty { return (commands + classes).sorted() }
        guard var type = words.lazy.compactMap({ schema[$0] }).first else { return classes }
        let path = before.reversed().prefix { $0.isLetter || $0.isNumber || "_.".contains($0) }
        for name in String(path.reversed()).split(separator: ".") {
            guard let linked = type[String(name)]?.objectClassName, let next = schema[linked] else {
                return []
            }
            type = next
        }
        return type.properties.map(\.name).sorted()
    }
}
