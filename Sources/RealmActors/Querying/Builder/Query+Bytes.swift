public import Foundation

/// `Data` and `Data?` in queries.
public protocol QueryBytes: PersistedValue {}

extension Data: QueryBytes {}
extension Optional: QueryBytes where Wrapped == Data {}

// Options treat bytes as strings in UTF-8; an argument that is not UTF-8 is compared byte by byte.
extension Query where T: QueryBytes {
    /// Contains the bytes, which must not be empty or nil to match.
    public func contains(_ bytes: Data?, options: StringOptions = []) -> Query<Bool> {
        query(.contains, bytes, options)
    }

    /// Begins with the bytes, which must not be empty or nil to match.
    public func starts(with bytes: Data?, options: StringOptions = []) -> Query<Bool> {
        query(.beginsWith, bytes, options)
    }

    /// Ends with the bytes, which must not be empty or nil to match.
    public func ends(with bytes: Data?, options: StringOptions = []) -> Query<Bool> {
        query(.endsWith, bytes, options)
    }

    /// Equals the bytes under the string options.
    public func equals(_ bytes: Data?, options: StringOptions = []) -> Query<Bool> {
        query(.equals, bytes, options)
    }

    /// Differs from the bytes under the string options.
    public func notEquals(_ bytes: Data?, options: StringOptions = []) -> Query<Bool> {
        query(.notEquals, bytes, options)
    }

    private func query(
        _ kind: TextOperator, _ bytes: Data?, _ options: StringOptions
    ) -> Query<Bool> {
        // Null is compared without the options: they do not apply to it.
        condition { path in
            bytes.map { QueryExpression.bytes(path, kind, $0, options) }
                ?? .text(path, kind, nil, options)
        }
    }
}

// Another property of the same object, or of one that it links to, as argument.
extension Query where T: QueryBytes {
    /// Contains the value of the property, which must not be empty or nil to match.
    public func contains(
        _ property: Query<some QueryBytes>, options: StringOptions = []
    ) -> Query<Bool> { compare(.contains, property, options) }

    /// Begins with the value of the property, which must not be empty or nil to match.
    public func starts(
        with property: Query<some QueryBytes>, options: StringOptions = []
    ) -> Query<Bool> { compare(.beginsWith, property, options) }

    /// Ends with the value of the property, which must not be empty or nil to match.
    public func ends(
        with property: Query<some QueryBytes>, options: StringOptions = []
    ) -> Query<Bool> { compare(.endsWith, property, options) }

    /// Equals the value of the property under the string options.
    public func equals(
        _ property: Query<some QueryBytes>, options: StringOptions = []
    ) -> Query<Bool> { compare(.equals, property, options) }

    /// Differs from the value of the property under the string options.
    public func notEquals(
        _ property: Query<some QueryBytes>, options: StringOptions = []
    ) -> Query<Bool> { compare(.notEquals, property, options) }
}
