import Storage

/// A value as two states of a collection are compared by it: what is not a number is like itself.
struct ComparedValue: Hashable {
    let value: StoredValue

    init(_ value: StoredValue) { self.value = value }

    static func == (a: ComparedValue, b: ComparedValue) -> Bool { a.value.isStoredLike(b.value) }

    func hash(into hasher: inout Hasher) {
        // Those that are not numbers may differ in their bits, within collections too.
        if let elements = value.collection?.elements {
            for element in elements.values { ComparedValue(element).hash(into: &hasher) }
        } else if !value.isNotANumber {
            hasher.combine(value)
        }
    }
}
