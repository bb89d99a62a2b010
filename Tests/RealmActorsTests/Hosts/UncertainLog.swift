import Storage
import StorageHarness
import Synchronization

/// The append that ends a connection.
final class UncertainAppend: Sendable {
    let isWritten: Bool
    /// Whether it is refused, so that its outcome is known.
    let isRefused: Bool
    let isDue = Mutex(false)

    init(isWritten: Bool, isRefused: Bool = false) {
        self.isWritten = isWritten
        self.isRefused = isRefused
    }
}

/// A log whose connection ends during one append, with an unknown outcome unless that is refused.
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
        if failure.isRefused { throw .refused("no connection") }
        if failure.isWritten { _ = try base.append(entry, at: slot, behind: last) }
        throw .outcomeUnknown("the connection has ended")
    }
}

/// A connection that does not recover: once an append has failed, all later calls are refused.
final class CutOffLog: WrappedLog {
    let base: any SharedLog
    private let isCutOff = Mutex(false)

    init(_ base: any SharedLog) { self.base = base }

    private func requireConnection() throws(SharedLogError) {
        if isCutOff.withLock({ $0 }) { throw .refused("no connection") }
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        try requireConnection()
        do throws(SharedLogError) {
            return try base.append(entry, at: slot, behind: last)
        } catch {
            isCutOff.withLock { $0 = true }
            throw error
        }
    }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        try requireConnection()
        return try base.entries(from: slot, bytesMax: bytesMax)
    }
}
