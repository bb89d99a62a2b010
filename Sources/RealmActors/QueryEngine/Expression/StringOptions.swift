/// How strings are compared in queries: exactly (by their UTF-8 bytes) when no option is given.
public struct StringOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Upper and lower case are the same.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without diacritical marks are the same: `e` finds an accented `e`.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
