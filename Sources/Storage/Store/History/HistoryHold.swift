/// Retains the log for a reader of its history while it lives.
final class HistoryHold {
    private let engine: TransactionEngine

    init(_ engine: TransactionEngine) {
        self.engine = engine
        engine.keepHistory(for: ObjectIdentifier(self), from: nil)
    }

    deinit { engine.endHistory(for: ObjectIdentifier(self)) }
}
