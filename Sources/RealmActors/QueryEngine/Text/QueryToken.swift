import Storage

/// A word of a query string, and where it is.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword; one that is `quoted` by `#` is a name always.
        case name(String, quoted: Bool)
        case integer(Int64)
        /// A fraction, and what its digits say exactly where the double is something else.
        case real(Double, exact: Decimal128?)
        /// An integer that does not fit 64 bits.
        case wide(Decimal128)
        /// A UUID, an identifier, bytes or a date that is written out.
        case value(StoredValue)
        case text(String)
        /// `@count` and the like, without the at sign.
        case operation(String)
        /// `$name` or `$0`, without the dollar sign.
        case variable(String)
        /// `%@`, `%d`, `%K` and the like: what follows the sign.
        case placeholder(String)
        /// Everything else: one of ``QueryLexer/symbols``.
        case symbol(String)
        case end
    }

    let kind: Kind
    /// Of a text with escaped wildcards: the same with the backslashes in front of them, which keep
    /// them from being wildcards in a pattern.
    var pattern: String?
    /// In Unicode scalars.
    let position: Int

    /// The keyword that it may be, in upper case.
    var keyword: String? {
        if case .name(let name, false) = kind { name.uppercased() } else { nil }
    }

    /// Whether a path continues to what links to an object.
    var isLinks: Bool {
        if case .operation(let name) = kind { name.lowercased() == "links" } else { false }
    }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol(symbol) }

    /// The text in messages.
    var text: String {
        switch kind {
        case .name(let name, _): "'\(name)'"
        case .integer(let value): "\(value)"
        case .real(let value, let exact): exact.map { "\($0)" } ?? "\(value)"
        case .wide(let value): "\(value)"
        case .value(let value): value.called
        case .text(let text): "the text '\(text.prefix(40))'"
        case .operation(let name): "'@\(name)'"
        case .variable(let name): "'$\(name)'"
        case .placeholder(let name): "'%\(name)'"
        case .symbol(let symbol): "'\(symbol)'"
        case .end: "the end"
        }
    }
}
