/// A part of a damaged store from which objects can be read. Sources are read one after another,
/// older contents first.
protocol SalvageSource {
    /// Passes everything that can be read to `replay`, and records what cannot in its outcome.
    /// Throws `CancellationError`, and a lack of descriptors.
    func read(into replay: SalvageReplay, _ monitor: ReadingMonitor) throws
}

/// The commits in the log of a damaged store, in the order of positions.
struct LogSalvage: SalvageSource {
    let log: SalvagedLog

    func read(into replay: SalvageReplay, _ monitor: ReadingMonitor) throws {
        replay.outcome.lostRanges += log.lostRanges
        let start = replay.base?.replayStart ?? .begin
        // Commits that a checkpoint covers are neither needed nor missing.
        let entries = log.entries.filter { $0.position >= start.position }
        var next = (position: start.position, hash: start.hash)
        var groups = GroupAssembler(from: start)
        var reader = log.reader
        var current: (number: Int, segment: SalvagedSegment, header: SegmentHeader?)?
        for (index, entry) in entries.enumerated() {
            try monitor.check()
            if current?.number != entry.segment {
                current = nil
                if let segment = try log.segment(entry.segment) {
                    current = (entry.segment, segment, segment.sealingHeader(log.reader))
                }
            }
            reader.resume(in: entry.salt)
            guard let (_, segment, header) = current,
                let sealed = try? reader.frame(in: segment.bytes, at: entry.offset),
                let frame = sealed.open(in: header, owner: segment.buffer)
            else { continue }
            defer { withExtendedLifetime(frame) {} }
            if next != (entry.position, entry.previousHash) {
                replay.outcome.gaps += 1
                // The end of the transaction is missing.
                if groups.abandon() { replay.outcome.incompleteCommits += 1 }
            }
            next = (entry.position.advanced(by: entry.frameSize), entry.hash)
            do {
                let group = try groups.take(frame, at: segment.place(entry.offset))
                defer { withExtendedLifetime(group) {} }
                if let group { replay.apply(group: group.commits) }
            } catch {
                replay.outcome.incompleteCommits += 1
            }
            monitor.report(Double(index + 1) / Double(entries.count))
        }
        if groups.abandon() { replay.outcome.incompleteCommits += 1 }
        // The log was durable beyond its remaining end.
        if next.position < log.durableEnd { replay.outcome.gaps += 1 }
    }
}
