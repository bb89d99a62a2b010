import Storage

// A class, so that the schema of a query, which is passed as an existential, needs no allocation.
/// The keys that belong to other rows at one moment of a store than before.
final class KeyReuse: Sendable {
    let keys: ReusedKeys
    /// The last capture of the store at that moment.
    let capture: UInt64

    init(keys: ReusedKeys, capture: UInt64) {
        self.keys = keys
        self.capture = capture
    }
}
