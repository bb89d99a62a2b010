/// Strings, which may be nil. The library conforms its types.
public protocol CollatableValue: PersistedValue {}

extension String: CollatableValue {}
extension Optional: CollatableValue where Wrapped == String {}
