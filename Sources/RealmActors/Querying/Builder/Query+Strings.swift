import Storage

/// `String` and `String?` in queries.
public protocol QueryText: PersistedValue {}

extension String: QueryText {}
extension Optional: QueryText where Wrapped == String {}

extension Query where T: QueryText {
    /// Contains the string, which must not be empty or nil to match.
    public func contains(_ text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.contains, text, options)
    }

    /// Begins with the string, which must not be empty or nil to match.
    public func starts(with text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.beginsWith, text, options)
    }

    /// Ends with the string, which must not be empty or nil to match.
    public func ends(with text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.endsWith, text, options)
    }

    /// Is like the pattern: `?` matches one character, `*` any number of them; a backslash before
    /// one makes it a literal. Only nil is like nil.
    public func like(_ pattern: String?, caseInsensitive: Bool = false) -> Query<Bool> {
        query(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Equals the string under the string options.
    public func equals(_ text: String?, options: StringOptions = []) -> Query<Bool> {
        guard text != nil else { return compare(.equal, .null) }
        return query(.equals, text, options)
    }

    /// Differs from the string under the string options; nil differs from every string.
    public func notEquals(_ text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.notEquals, text, options)
    }

    /// Contains all words of a search, by the property's full-text index. `-word` excludes a word,
    /// `wor*` matches a prefix, and `"two words"` a phrase. Case and diacritical marks are ignored.
    /// Nil has no words. Without the index the query finds nothing, and methods of the results that
    /// can throw, throw ``RealmError/invalidKeyPath(_:)``; for a search without a word,
    /// ``RealmError/invalidQuery(message:position:)``.
    public func fullText(_ search: String) -> Query<Bool> {
        condition { .search(search, in: [$0]) }
    }

    /// Contains all words of a search together with other properties of the same object: each word
    /// or phrase is in one of the properties, and excluded words are in none.
    ///
    ///     notes.where { $0.title.fullText("swift actors -ios", alsoIn: $0.text, $0.summary) }
    public func fullText<First: QueryText, each Other: QueryText>(
        _ search: String, alsoIn first: Query<First>, _ others: repeat Query<each Other>
    ) -> Query<Bool> {
        var nodes = [node, first.node]
        repeat nodes.append((each others).node)
        let paths = nodes.compactMap(\.path)
        return condition { _ in
            paths.count == nodes.count
                ? .search(search, in: paths) : .refused(QueryNode.refusalOfComputed)
        }
    }

    private func query(
        _ kind: TextOperator, _ text: String?, _ options: StringOptions
    ) -> Query<Bool> {
        condition { .text($0, kind, text, options) }
    }
}

extension Query {
    /// A text operator whose argument is another property.
    func compare<Other>(
        _ kind: TextOperator, _ other: Query<Other>, _ options: StringOptions
    ) -> Query<Bool> {
        condition { path in
            other.node.path.map { QueryExpression.texts(path, kind, $0, options) }
                ?? .refused(QueryNode.refusalOfComputed)
        }
    }
}

// Another property of the same object, or of one that it links to, as argument.
extension Query where T: QueryText {
    /// Contains the value of the property, which must not be empty or nil to match.
    public func contains(
        _ property: Query<some QueryText>, options: StringOptions = []
    ) -> Query<Bool> { compare(.contains, property, options) }

    /// Begins with the value of the property, which must not be empty or nil to match.
    public func starts(
        with property: Query<some QueryText>, options: StringOptions = []
    ) -> Query<Bool> { compare(.beginsWith, property, options) }

    /// Ends with the value of the property, which must not be empty or nil to match.
    public func ends(
        with property: Query<some QueryText>, options: StringOptions = []
    ) -> Query<Bool> { compare(.endsWith, property, options) }

    /// Is like the pattern in the property. Only nil is like nil.
    public func like(
        _ property: Query<some QueryText>, caseInsensitive: Bool = false
    ) -> Query<Bool> { compare(.like, property, caseInsensitive ? .caseInsensitive : []) }

    /// Equals the value of the property under the string options.
    public func equals(
        _ property: Query<some QueryText>, options: StringOptions = []
    ) -> Query<Bool> { compare(.equals, property, options) }

    /// Differs from the value of the property under the string options.
    public func notEquals(
        _ property: Query<some QueryText>, options: StringOptions = []
    ) -> Query<Bool> { compare(.notEquals, property, options) }
}
