import Storage
import StorageHarness
import Synchronization

/// The append that ends a connection.
final class UncertainAppend: Sendable {
    let isWritten: Bool
    let isDue = Mutex(false)

    init(isWritten: Bool) { self.isWritten = isWritten }
}

/// A log whose connection ends during one append, with an unknown outcome.
final class UncertainLog: WrappedLog {
    let base: any SharedLog
    private let failure: UncertainAppend

    init(_ base: any SharedLog, _ failure: UncertainAppend) {
        self.base = base
        self.failure = failure
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let fails = failure.isDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        guard fails else { return try base.append(entry, at: slot, behind: last) }
        if failure.isWritten { _ = try base.append(entry, at: slot, behind: last) }
        throw .outcomeUnknown("the connection has ended")
    }
}
