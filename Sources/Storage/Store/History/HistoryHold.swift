/// Keeps the log for a reader of its history, for the lifetime of this object.
final class HistoryHold {
    private let engine: TransactionEngine

    init(_ engine: TransactionEngine) {
        self.engine = engine
        engine.keepHistory(for: ObjectIdentifier(self), from: nil)
    }

    deinit { engine.endHistory(for: ObjectIdentifier(self)) }
}
