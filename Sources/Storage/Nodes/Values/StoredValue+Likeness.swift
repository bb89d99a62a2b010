extension StoredValue {
    /// Whether replacing one with the other changes nothing: unlike with `==`, NaN is like NaN.
    package func isStoredLike(_ other: StoredValue) -> Bool {
        if self == other { return true }
        if case .list(_, let values) = self, case .list(_, let others) = other {
            return values.elementsEqual(others) { $0.isStoredLike($1) }
        }
        if case .dictionary(_, let entries) = self, case .dictionary(_, let others) = other {
            return entries.elementsEqual(others) {
                $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isStoredLike($1.value)
            }
        }
        return isNotANumber && other.isNotANumber && kind == other.kind
    }
}
