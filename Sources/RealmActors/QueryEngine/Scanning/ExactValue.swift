package import Storage

/// A stored value as queries distinguish values: texts by their bytes, where Swift's strings equate
/// different encodings of one character, and numbers of all types numerically.
package struct ExactValue: Sendable, Hashable {
    /// The value itself.
    let value: StoredValue

    package init(_ value: StoredValue) { self.value = value }

    package static func == (a: ExactValue, b: ExactValue) -> Bool {
        a.value.isSame(inOrder: b.value)
    }

    package func hash(into hasher: inout Hasher) { value.hash(inOrder: &hasher) }
}
