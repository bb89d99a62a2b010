public import Foundation

// The operators of bytes for custom types that are stored as bytes, with values of these types. For
// other bytes use `persistableValue`.

extension Query where T: FailableCustomPersistable, T.PersistedType == Data {
    /// Contains the stored form of the value, which must not be empty to match.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedBytes.contains(value.persistableValue, options: options)
    }

    /// Begins with the stored form of the value, which must not be empty to match.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        storedBytes.starts(with: value.persistableValue, options: options)
    }

    /// Ends with the stored form of the value, which must not be empty to match.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        storedBytes.ends(with: value.persistableValue, options: options)
    }

    /// Equals the stored form of the value under the string options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedBytes.equals(value.persistableValue, options: options)
    }

    /// Differs from the stored form of the value under the string options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedBytes.notEquals(value.persistableValue, options: options)
    }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType == Data
{
    /// Contains the stored form of the value, which must not be empty or nil to match.
    public func contains(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedBytes.contains(value?.persistableValue, options: options)
    }

    /// Begins with the stored form of the value, which must not be empty or nil to match.
    public func starts(with value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedBytes.starts(with: value?.persistableValue, options: options)
    }

    /// Ends with the stored form of the value, which must not be empty or nil to match.
    public func ends(with value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedBytes.ends(with: value?.persistableValue, options: options)
    }

    /// Equals the stored form of the value under the string options.
    public func equals(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedBytes.equals(value?.persistableValue, options: options)
    }

    /// Differs from the stored form of the value under the string options.
    public func notEquals(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedBytes.notEquals(value?.persistableValue, options: options)
    }
}

extension Query {
    /// The stored bytes; nil for nil.
    private var storedBytes: Query<Data?> { Query<Data?>(node) }
}
