#if S3
    import Synchronization

    extension S3SharedLog {
        /// The number of entries whose prefixes are read at a time.
        private static let prefixesMax = 256

        package func entries(
            from slot: LogSlot, bytesMax: Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            let entries = try read(from: slot) { sizes in
                var bytes = 0
                return sizes.enumerated().prefix { number, size in
                    bytes += size
                    return number == 0 || bytes <= bytesMax
                }.count
            }
            if let last = entries.last { note(last.slot, SharedEntryHash(of: last.bytes)) }
            return entries
        }

        package func entries(
            from slot: LogSlot, prefix: Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            try read(from: slot, prefix: prefix) { min($0.count, Self.prefixesMax) }
        }

        /// The entries of those listed that `count` chooses by their sizes, or the first bytes of
        /// each. The base is read after them, since objects below it are not entries of the log.
        private func read(
            from slot: LogSlot, prefix: Int? = nil, _ count: ([Int]) -> Int
        ) throws(SharedLogError) -> [SharedLogEntry] {
            try forgetting { () throws(SharedLogError) in
                let sizes = try sizes(from: slot)
                let requests = sizes.prefix(count(sizes)).enumerated().map { number, size in
                    let key = layout.entry(LogSlot(slot.rawValue + UInt64(number)))
                    return Self.reading(key, size: size, prefix: prefix)
                }
                var entries: [SharedLogEntry] = []
                for answer in try bucket.answers(to: requests) {
                    guard let found = try S3Bucket.found(answer) else { break }
                    let slot = LogSlot(slot.rawValue + UInt64(entries.count))
                    let bytes = prefix.map { Array(found.body.prefix($0)) } ?? found.body
                    entries.append(SharedLogEntry(slot: slot, bytes: bytes))
                }
                let first = try base().base.entries
                if slot < first { throw .trimmed(first: first) }
                if entries.isEmpty, !sizes.isEmpty {
                    throw .refused("The entry of slot \(slot) is missing.")
                }
                return entries
            }
        }

        /// The sizes of the entries from a slot on, as many as one list has.
        private func sizes(from slot: LogSlot) throws(SharedLogError) -> [Int] {
            let objects = try bucket.list(layout.entries, after: layout.name(before: slot)).objects
            var sizes: [Int] = []
            for object in objects {
                let expected = LogSlot(slot.rawValue + UInt64(sizes.count))
                guard let found = layout.slot(of: object.key, in: layout.entries) else { continue }
                guard found == expected else {
                    // Trimming removes entries one after the other.
                    if sizes.isEmpty, try base().base.entries <= slot {
                        throw .refused("The entry of slot \(slot) is missing.")
                    }
                    break
                }
                sizes.append(object.size)
            }
            return sizes
        }

        private static func reading(_ key: String, size: Int, prefix: Int?) -> S3Request {
            var request = S3Request(.get, key)
            request.answerBytes = min(size, prefix ?? size)
            if let prefix, prefix > 0, prefix < size {
                request.headers["range"] = "bytes=0-\(prefix - 1)"
            }
            return request
        }

        // MARK: The end

        package func head() throws(SharedLogError) -> SharedLogHead {
            try forgetting { () throws(SharedLogError) in
                var first = try base().base.entries
                while true {
                    // The known object may be lost: its existence is checked again.
                    let known = max(first, known.withLock { $0.last?.slot } ?? first)
                    var next = try end(from: known)
                    if next == known, known > first { next = try end(from: first) }
                    // The end was found too early, since entries were trimmed meanwhile.
                    let now = try base().base.entries
                    if now <= next { return SharedLogHead(first: now, next: next) }
                    first = now
                }
            }
        }

        /// The first slot from `slot` on without an entry. A log of many entries is searched with
        /// exponential steps, then by bisection.
        private func end(from slot: LogSlot) throws(SharedLogError) -> LogSlot {
            let listing = try bucket.list(layout.entries, after: layout.name(before: slot))
            let count = listing.objects.enumerated().prefix { number, object in
                object.key == layout.entry(LogSlot(slot.rawValue + UInt64(number)))
            }.count
            var low = slot.rawValue + UInt64(count)
            guard listing.isTruncated, count == listing.objects.count else { return LogSlot(low) }
            var step: UInt64 = 1024
            while try hasEntry(LogSlot(low + step)) {
                low += step + 1
                step *= 2
            }
            var high = low + step
            // Below `low` all are filled, and `high` is not.
            while low < high {
                let middle = low + (high - low) / 2
                if try hasEntry(LogSlot(middle)) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return LogSlot(low)
        }

        private func hasEntry(_ slot: LogSlot) throws(SharedLogError) -> Bool {
            let listing = try bucket.list(
                layout.entries, after: layout.name(before: slot), atMost: 1)
            return listing.objects.first?.key == layout.entry(slot)
        }
    }
#endif
