#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness
    import Synchronization

    /// A log with one entry that is misread: see ``HostMistake``.
    ///
    /// Later entries are changed to continue the misread one, and appends are changed to continue
    /// the real one. So the hashes of the log do not reveal the fault: the rows have to.
    final class MisreadLog: WrappedLog {
        fileprivate struct State {
            /// The entries, as read by the host.
            var shown: [LogSlot: [UInt8]] = [:]
            /// The hashes of the real entries.
            var hashes: [LogSlot: SharedEntryHash] = [:]
            /// The reading host, once it has appended something.
            var host: Bits128?
            /// The number of groups of others that were read.
            var groups = 0
            /// The payload of the misread group.
            var payload: [UInt8] = []
        }

        /// The number of groups of others that are read correctly.
        fileprivate static let readWell = 10

        let base: any SharedLog
        private let mistake: HostMistake
        private let state = Mutex(State())

        init(_ base: any SharedLog, _ mistake: HostMistake) {
            self.base = base
            self.mistake = mistake
        }

        func append(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let real = state.withLock { $0.real(entry, at: slot) }
            let before = last.map { real.last ?? $0 }
            guard try base.append(real.bytes, at: slot, behind: before) else { return false }
            state.withLock { state in
                state.shown[slot] = entry
                state.hashes[slot] = SharedEntryHash(of: real.bytes)
            }
            return true
        }

        func entries(
            from slot: LogSlot, bytesMax: Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            let entries = try base.entries(from: slot, bytesMax: bytesMax)
            return state.withLock { state in entries.map { state.show($0, mistake) } }
        }
    }

    extension MisreadLog.State {
        /// The entry that is really appended, and the hash of the real previous entry.
        fileprivate mutating func real(
            _ entry: [UInt8], at slot: LogSlot
        ) -> (bytes: [UInt8], last: SharedEntryHash?) {
            guard var real = try? SharedEntry(decoding: entry, nil) else { return (entry, nil) }
            host = real.host
            guard let last = slot.previous.flatMap({ hashes[$0] }) else { return (entry, nil) }
            real.previousHash = last
            return (real.encoded(nil), last)
        }

        fileprivate mutating func show(
            _ entry: SharedLogEntry, _ mistake: HostMistake
        ) -> SharedLogEntry {
            let slot = entry.slot
            if shown[slot] == nil, var read = try? SharedEntry(decoding: entry.bytes, nil) {
                misread(&read, mistake)
                if let last = slot.previous.flatMap({ shown[$0] }) {
                    read.previousHash = SharedEntryHash(of: last)
                }
                shown[slot] = read.encoded(nil)
                hashes[slot] = SharedEntryHash(of: entry.bytes)
            }
            return SharedLogEntry(slot: slot, bytes: shown[slot] ?? entry.bytes)
        }

        private mutating func misread(_ entry: inout SharedEntry, _ mistake: HostMistake) {
            guard entry.kind == .group, entry.host != host else { return }
            groups += 1
            switch (mistake, groups - MisreadLog.readWell) {
            case (.losesEntry, 1), (.appliesLate, 1):
                payload = entry.payload
                // An entry without a commit.
                (entry.kind, entry.payload) = (.epoch, [])
            case (.appliesTwice, 1):
                payload = entry.payload
                return
            case (.appliesTwice, 2), (.appliesLate, 3):
                entry.payload = payload
                entry.lastVersion = Self.renumber(&entry.payload, from: entry.firstVersion)
            default: return
            }
            HostReport.erred.send()
        }

        /// Assigns other versions to the commits in a payload, in the format of
        /// ``CommitGroupBuffer``. Returns the last version.
        private static func renumber(_ payload: inout [UInt8], from first: UInt64) -> UInt64 {
            var (offset, version) = (0, first)
            while true {
                for byte in 0..<8 {
                    payload[offset + byte] = UInt8(truncatingIfNeeded: version >> (8 * byte))
                }
                var length = 0
                for byte in 0..<4 { length |= Int(payload[offset + 8 + byte]) << (8 * byte) }
                offset += 16 + (length + 7) / 8 * 8
                if offset >= payload.count { return version }
                version += 1
            }
        }
    }
#endif
