extension SQLitePeer {
    /// With FTS5 as it is by default: its own tokens, which fold case and diacritical marks, and
    /// its own copy of the texts.
    static func fullText(path: String, notes: Int) throws -> PeerSearches? {
        let connection = try connect(path)
        defer { connection.close() }
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("CREATE VIRTUAL TABLE notes USING fts5(text)")
        let add = try connection.prepare("INSERT INTO notes (text) VALUES (?)")
        let build = try timed {
            try connection.transaction {
                for number in 0..<notes {
                    add.bind(Notes.text(number), at: 1)
                    try add.run()
                }
            }
        }
        let count = try connection.prepare("SELECT count(*) FROM notes WHERE notes MATCH ?")
        let ask = {
            try Notes.searches.reduce(0) { sum, search in
                count.bind(search.match, at: 1)
                return sum + (try count.single { $0.int(0) } ?? 0)
            }
        }
        _ = try ask()
        let runs = try (0..<3).map { _ in try timed(ask) }
        return PeerSearches(
            buildSeconds: build.seconds, searchSeconds: runs.map(\.seconds).median,
            found: runs[0].result)
    }
}

extension Notes.Search {
    /// As FTS5 asks for it.
    fileprivate var match: String {
        switch self {
        case .all(let words): words.map { "\"\($0)\"" }.joined(separator: " ")
        case .prefix(let prefix): "\"\(prefix)\" *"
        case .without(let word, let other): "\"\(word)\" NOT \"\(other)\""
        }
    }
}
