#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness
    import Synchronization

    /// A log that reports an entry as written although the slot was filled: see
    /// ``HostMistake/writesOn``.
    final class UnheedingLog: WrappedLog {
        /// The number of correct appends before one is delayed, as in a stopped host.
        private static let heeded = 10
        /// Longer than others wait for a host.
        private static let delay = Duration.milliseconds(2_500)

        let base: any SharedLog
        private let appends = Atomic(0)

        init(_ base: any SharedLog) { self.base = base }

        func append(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let count = appends.wrappingAdd(1, ordering: .relaxed).newValue
            if count.isMultiple(of: Self.heeded) { Platform.pause(for: Self.delay) }
            if try base.append(entry, at: slot, behind: last) { return true }
            if count < Self.heeded { return false }
            HostReport.erred.send()
            return true
        }
    }
#endif
