#if S3
    import Synchronization

    extension S3SharedLog {
        /// How often a `PUT` is retried that the storage has refused because of a concurrent one.
        static let conflictsMax = 20
        static let conflictPause = Duration.milliseconds(20)
        /// For how long an append relies on what is known of the newest entry: others need longer
        /// to append after it, make two images, and trim the log.
        static let freshTime = Duration.seconds(60)
        private static let isTrimmed =
            SharedLogError.outcomeUnknown("The entry's slot was trimmed meanwhile")

        package func append(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            try forgetting { () throws(SharedLogError) in
                guard slot >= .first, try isNext(slot, behind: last) else { return false }
                let isWritten = try put(entry, at: slot)
                do throws(SharedLogError) {
                    return try isWritten
                        ? resolve(entry, at: slot, behind: last)
                        : isOwn(entry, at: slot, behind: last)
                } catch {
                    throw error.ofAppending
                }
            }
        }

        /// Whether the slots below are filled, and the previous one has an entry with this hash. A
        /// slot that is known to be filled is not the next one.
        private func isNext(
            _ slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let known = known.withLock { $0.last }
            if let known, known.slot >= slot { return false }
            guard let previous = slot.previous else { return try base().base.entries == slot }
            if let known, known.slot == previous {
                guard last == nil || last == known.hash else { return false }
                if Instant.now - known.time < Self.freshTime { return true }
                // Once the entry is written to a slot that was trimmed, its outcome is unknown.
                return try base().base.entries <= slot
            }
            let before = try bucket.object(layout.entry(previous))
            let first = try base().base.entries
            // Slots before the first one were removed, or are irrelevant.
            if previous < first { return slot == first }
            guard let before else { return false }
            let hash = SharedEntryHash(of: before.body)
            note(previous, hash)
            return last == nil || last == hash
        }

        /// Writes an entry; false if the slot has one.
        private func put(_ entry: [UInt8], at slot: LogSlot) throws(SharedLogError) -> Bool {
            var request = S3Bucket.putting(entry, layout.entry(slot))
            request.isAppend = true
            // After a conflict, nothing but the slot shows the outcome: what is being written may
            // be this entry, which the transport has perhaps sent before.
            var hasConflict = false
            for _ in 0..<Self.conflictsMax {
                let answer: S3Response
                do throws(S3Failure) { answer = try bucket.answer(to: request) } catch {
                    throw hasConflict ? error.ofAppending.ofAppending : error.ofAppending
                }
                switch answer.status {
                case 200..<300: return true
                case 412: return false
                // A concurrent write may fail, so the slot need not be filled.
                case 409:
                    hasConflict = true
                    Platform.pause(for: Self.conflictPause)
                default:
                    let isUnknown = hasConflict || answer.isTransient
                    throw isUnknown ? answer.error.ofAppending : answer.error
                }
            }
            throw .outcomeUnknown("The storage was continuously writing this entry")
        }

        /// Whether an entry that was written belongs to the log.
        private func resolve(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let base = try base().base
            if base.entries <= slot, try isContinued(base, at: slot, behind: last) {
                note(slot, SharedEntryHash(of: entry))
                return true
            }
            _ = withdraw(entry, at: slot)
            // Either the slot was trimmed before, or this host was suspended in between, and others
            // have read the entry and trimmed it. No clock distinguishes these: that of a virtual
            // machine stands still while the machine is suspended.
            if base.entries > slot { throw Self.isTrimmed }
            return false
        }

        /// Whether an entry of this slot continues the log of a base. If the base is not the
        /// original one, either the whole log was replaced, or only the base was recreated: then
        /// other hosts may have read the entry, and appended after it.
        private func isContinued(
            _ base: S3Base, at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            if base.isOfLog(known.withLock { $0.log ?? base.log }) { return true }
            if let previous = slot.previous {
                guard let before = try bucket.object(layout.entry(previous)),
                    SharedEntryHash(of: before.body) == last
                else { return false }
            }
            known.withLock { $0.log = base.log }
            return true
        }

        /// Removes an entry that does not belong to the log; always false. Keeps another entry in
        /// the slot, which may belong to a log that has replaced this one.
        private func withdraw(_ entry: [UInt8], at slot: LogSlot) -> Bool {
            let found = try? bucket.object(layout.entry(slot))
            if found?.body == entry { try? bucket.remove([layout.entry(slot)]) }
            known.withLock { $0.last = nil }
            return false
        }

        /// Whether the existing entry is this one itself, which was sent before and arrived late,
        /// or was sent twice by the network.
        private func isOwn(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let found = try bucket.object(layout.entry(slot))?.body
            let base = try base().base
            guard base.entries <= slot else {
                // The removed entry may have been this one.
                throw Self.isTrimmed
            }
            guard let found else { throw .refused("The entry of slot \(slot) is missing.") }
            if found == entry, try !isContinued(base, at: slot, behind: last) {
                return withdraw(entry, at: slot)
            }
            note(slot, SharedEntryHash(of: found))
            return found == entry
        }
    }

    extension S3Failure {
        /// The error of a call that must not be repeated.
        fileprivate var ofAppending: SharedLogError {
            switch self {
            case .notSent(let error): error
            case .noAnswer(let why): .outcomeUnknown(why)
            case .closed: .outcomeUnknown("The log was closed meanwhile")
            }
        }
    }

    extension SharedLogError {
        /// A failure after the `PUT` says nothing about its outcome.
        fileprivate var ofAppending: SharedLogError {
            switch self {
            case .unavailable(let why), .refused(let why), .outcomeUnknown(let why):
                .outcomeUnknown(why)
            case .unsafe(let setting): .outcomeUnknown(setting)
            case .trimmed, .closed: .outcomeUnknown("The log was closed or trimmed meanwhile")
            }
        }
    }
#endif
