#if S3
    import Synchronization

    extension S3SharedLog {
        /// How often a `PUT` is sent that the storage has refused for another one at that moment.
        static let conflictsMax = 20
        static let conflictPause = Duration.milliseconds(20)
        /// Others take longer to go on behind an entry, make two images behind that, and trim the
        /// log: a slot that is found trimmed sooner was so before.
        static let trimmingTime = Duration.seconds(1)
        private static let isTrimmed =
            SharedLogError.outcomeUnknown("The entry's slot was trimmed meanwhile")

        package func append(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            try forgetting { () throws(SharedLogError) in
                guard slot >= .first, try isNext(slot, behind: last) else { return false }
                let began = ContinuousClock.now
                let isWritten = try put(entry, at: slot)
                do throws(SharedLogError) {
                    return try isWritten
                        ? settle(entry, at: slot, behind: last, since: began)
                        : isOwn(entry, at: slot, behind: last)
                } catch {
                    throw error.ofAppending
                }
            }
        }

        /// Whether the slots below are filled, and the one before has the entry of this hash. Where
        /// the slot itself is known to be filled it is not the next one.
        private func isNext(
            _ slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let known = known.withLock { $0.last }
            if let known, known.slot >= slot { return false }
            guard let previous = slot.previous else { return try base().base.entries == slot }
            if let known, known.slot == previous { return last == nil || last == known.hash }
            let before = try bucket.object(layout.entry(previous))
            let first = try base().base.entries
            // What is before the first one was removed, or is of no account.
            if previous < first { return slot == first }
            guard let before else { return false }
            let hash = SharedEntryHash(of: before.body)
            note(previous, hash)
            return last == nil || last == hash
        }

        /// Writes an entry; false where the slot has one.
        private func put(_ entry: [UInt8], at slot: LogSlot) throws(SharedLogError) -> Bool {
            let request = S3Bucket.putting(entry, layout.entry(slot))
            for _ in 0..<Self.conflictsMax {
                let answer: S3Response
                do throws(S3Failure) { answer = try bucket.answer(to: request) } catch {
                    throw error.ofAppending
                }
                switch answer.status {
                case 200..<300: return true
                case 412: return false
                // Another one is under way, which may fail: nothing says that the slot is filled.
                case 409: Platform.pause(for: Self.conflictPause)
                default: throw answer.mayPass ? answer.error.ofAppending : answer.error
                }
            }
            throw .unavailable("The storage was writing this entry for others all the time")
        }

        /// Whether an entry that was written is one of the log.
        private func settle(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?,
            since began: ContinuousClock.Instant
        ) throws(SharedLogError) -> Bool {
            let base = try base().base
            if base.entries <= slot, try isContinued(base, at: slot, behind: last) {
                note(slot, SharedEntryHash(of: entry))
                return true
            }
            _ = withdraw(entry, at: slot)
            // A host that was suspended meanwhile: others may have read it, and trimmed it as well.
            if base.entries > slot, ContinuousClock.now - began > Self.trimmingTime {
                throw Self.isTrimmed
            }
            return false
        }

        /// Whether the log of a base is continued by an entry of this slot. Where the base is not
        /// the one which was here first, either all of the log is another one, or only the base
        /// was removed and made anew: others may have read the entry then, and gone on behind it.
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

        /// Removes an entry that counts for nothing; always false. Another one that has come there
        /// since may be one of the log that was made in place of this one.
        private func withdraw(_ entry: [UInt8], at slot: LogSlot) -> Bool {
            let found = try? bucket.object(layout.entry(slot))
            if found?.body == entry { try? bucket.remove([layout.entry(slot)]) }
            known.withLock { $0.last = nil }
            return false
        }

        /// Whether the entry in the way is this one itself: one that was sent before and has
        /// arrived late, or that what carries requests has sent twice.
        private func isOwn(
            _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
        ) throws(SharedLogError) -> Bool {
            let found = try bucket.object(layout.entry(slot))?.body
            let base = try base().base
            guard base.entries <= slot else {
                // It may have been the one that was removed, whatever has come there since.
                throw Self.isTrimmed
            }
            guard let found else { throw .refused("The entry of slot \(slot) is not there.") }
            if found == entry, try !isContinued(base, at: slot, behind: last) {
                return withdraw(entry, at: slot)
            }
            note(slot, SharedEntryHash(of: found))
            return found == entry
        }
    }

    extension S3Failure {
        /// As seen by a call that must not be made twice.
        fileprivate var ofAppending: SharedLogError {
            switch self {
            case .notSent(let error): error
            case .noAnswer(let why): .outcomeUnknown(why)
            case .closed: .outcomeUnknown("The log was closed meanwhile")
            }
        }
    }

    extension SharedLogError {
        /// What fails behind the `PUT` says nothing of its outcome.
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
