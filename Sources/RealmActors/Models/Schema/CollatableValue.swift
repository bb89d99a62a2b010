/// `String` and `String?`, which a collation orders. The library conforms its types.
public protocol CollatableValue: PersistedValue {}

extension String: CollatableValue {}
extension Optional: CollatableValue where Wrapped == String {}
