import Storage

/// `String` and `String?`, as queries know them.
public protocol QueryText: PersistedValue {}

extension String: QueryText {}
extension Optional: QueryText where Wrapped == String {}

extension Query where T: QueryText {
    /// Contains the text, which must not be empty or nil to match.
    public func contains(_ text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.contains, text, options)
    }

    /// Begins with the text, which must not be empty or nil to match.
    public func starts(with text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.beginsWith, text, options)
    }

    /// Ends with the text, which must not be empty or nil to match.
    public func ends(with text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.endsWith, text, options)
    }

    /// Is like the pattern: `?` stands for one character, `*` for any number of them.
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
        query(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }

    /// Is the text, as far as the options tell texts apart.
    public func equals(_ text: String?, options: StringOptions = []) -> Query<Bool> {
        guard text != nil else { return compare(.equal, .null) }
        return query(.equals, text, options)
    }

    /// Is not the text, as far as the options tell texts apart; nil is not.
    public func notEquals(_ text: String?, options: StringOptions = []) -> Query<Bool> {
        query(.notEquals, text, options)
    }

    private func query(
        _ kind: TextOperator, _ text: String?, _ options: StringOptions
    ) -> Query<Bool> {
        Query<Bool>(.text(path, kind, text, options))
    }
}
