// The operators of strings for enums and custom types that are stored as strings, with values of
// these types. For other strings use `rawValue` and `persistableValue`.

extension Query where T: PersistableEnum, T.RawValue == String {
    /// Contains the stored form of the value, which must not be empty to match.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.contains(value.rawValue, options: options)
    }

    /// Begins with the stored form of the value, which must not be empty to match.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.starts(with: value.rawValue, options: options)
    }

    /// Ends with the stored form of the value, which must not be empty to match.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.ends(with: value.rawValue, options: options)
    }

    /// Matches the stored form of the value as a pattern.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        storedText.like(value.rawValue, caseInsensitive: caseInsensitive)
    }

    /// Equals the stored form of the value under the string options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.equals(value.rawValue, options: options)
    }

    /// Differs from the stored form of the value under the string options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.notEquals(value.rawValue, options: options)
    }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: PersistableEnum, T.QueryWrapped.RawValue == String
{
    /// Contains the stored form of the value, which must not be empty or nil to match.
    public func contains(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.contains(value?.rawValue, options: options)
    }

    /// Begins with the stored form of the value, which must not be empty or nil to match.
    public func starts(with value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.starts(with: value?.rawValue, options: options)
    }

    /// Ends with the stored form of the value, which must not be empty or nil to match.
    public func ends(with value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.ends(with: value?.rawValue, options: options)
    }

    /// Matches the stored form of the value as a pattern. Only nil is like nil.
    public func like(_ value: T.QueryWrapped?, caseInsensitive: Bool = false) -> Query<Bool> {
        storedText.like(value?.rawValue, caseInsensitive: caseInsensitive)
    }

    /// Equals the stored form of the value under the string options.
    public func equals(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.equals(value?.rawValue, options: options)
    }

    /// Differs from the stored form of the value under the string options.
    public func notEquals(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.notEquals(value?.rawValue, options: options)
    }
}

extension Query where T: FailableCustomPersistable, T.PersistedType == String {
    /// Contains the stored form of the value, which must not be empty to match.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.contains(value.persistableValue, options: options)
    }

    /// Begins with the stored form of the value, which must not be empty to match.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.starts(with: value.persistableValue, options: options)
    }

    /// Ends with the stored form of the value, which must not be empty to match.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.ends(with: value.persistableValue, options: options)
    }

    /// Matches the stored form of the value as a pattern.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        storedText.like(value.persistableValue, caseInsensitive: caseInsensitive)
    }

    /// Equals the stored form of the value under the string options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.equals(value.persistableValue, options: options)
    }

    /// Differs from the stored form of the value under the string options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        storedText.notEquals(value.persistableValue, options: options)
    }
}

extension Query
where
    T: QueryOptional, T.QueryWrapped: FailableCustomPersistable,
    T.QueryWrapped.PersistedType == String
{
    /// Contains the stored form of the value, which must not be empty or nil to match.
    public func contains(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.contains(value?.persistableValue, options: options)
    }

    /// Begins with the stored form of the value, which must not be empty or nil to match.
    public func starts(with value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.starts(with: value?.persistableValue, options: options)
    }

    /// Ends with the stored form of the value, which must not be empty or nil to match.
    public func ends(with value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.ends(with: value?.persistableValue, options: options)
    }

    /// Matches the stored form of the value as a pattern. Only nil is like nil.
    public func like(_ value: T.QueryWrapped?, caseInsensitive: Bool = false) -> Query<Bool> {
        storedText.like(value?.persistableValue, caseInsensitive: caseInsensitive)
    }

    /// Equals the stored form of the value under the string options.
    public func equals(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.equals(value?.persistableValue, options: options)
    }

    /// Differs from the stored form of the value under the string options.
    public func notEquals(_ value: T.QueryWrapped?, options: StringOptions = []) -> Query<Bool> {
        storedText.notEquals(value?.persistableValue, options: options)
    }
}

extension Query {
    /// The stored string; nil for nil.
    private var storedText: Query<String?> { Query<String?>(node) }
}
