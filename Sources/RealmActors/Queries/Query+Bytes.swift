public import Foundation

/// `Data` and `Data?`, as queries know them.
public protocol QueryBytes: PersistedValue {}

extension Data: QueryBytes {}
extension Optional: QueryBytes where Wrapped == Data {}

extension Query where T: QueryBytes {
    /// Contains the bytes, which must not be empty to match.
    public func contains(_ bytes: Data) -> Query<Bool> {
        Query<Bool>(.bytes(path, .contains, bytes))
    }

    /// Begins with the bytes, which must not be empty to match.
    public func starts(with bytes: Data) -> Query<Bool> {
        Query<Bool>(.bytes(path, .beginsWith, bytes))
    }

    /// Ends with the bytes, which must not be empty to match.
    public func ends(with bytes: Data) -> Query<Bool> {
        Query<Bool>(.bytes(path, .endsWith, bytes))
    }
}
