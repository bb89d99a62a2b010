#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness

    /// A log that reports entries with an unknown outcome as written: see
    /// ``HostMistake/acknowledgesInDoubt``.
    final class CertainLog: WrappedLog {
        let base: any SharedLog

        init(_ base: any SharedLog) { self.base = base }

        func append(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            do throws(SharedLogError) {
                return try base.append(entry, at: slot, behind: last)
            } catch .outcomeUnknown {
                HostReport.erred.send()
                return true
            }
        }
    }
#endif
