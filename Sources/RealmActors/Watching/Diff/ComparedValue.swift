import Storage

/// A value for comparing two states of a collection: NaN equals itself.
struct ComparedValue: Hashable {
    let value: StoredValue

    init(_ value: StoredValue) { self.value = value }

    static func == (a: ComparedValue, b: ComparedValue) -> Bool { a.value.isStoredLike(b.value) }

    func hash(into hasher: inout Hasher) {
        // The bits of two NaNs may differ, within collections too.
        if let elements = value.collection?.elements {
            for element in elements.values { ComparedValue(element).hash(into: &hasher) }
        } else if !value.isNotANumber {
            hasher.combine(value)
        }
    }
}
