import Synchronization

/// A segment file that is ready to be written: created, filled, synced, and its name durable.
struct PreparedSegment: Sendable {
    let file: any File
    let index: SegmentIndex
    let size: Int
    let path: String
}

/// Makes the next log segment before it is needed, so that a commit never changes file metadata.
///
/// The mutex is held while a segment is made: `take` finds one that is ready, or waits for the one
/// that is being made, or makes it.
final class SegmentPreparer: Sendable {
    private struct State {
        var spare: PreparedSegment?
        /// A failure of the disk while nobody was asking; the next `take` throws it.
        var failure: StorageError?
        /// The segments up to here were handed out.
        var taken: SegmentIndex
    }

    private let fileSystem: any FileSystem
    private let directory: String
    private let reserve: SpaceReserve
    private let thread: SerialThread?
    private let state: Mutex<State>

    init(
        fileSystem: any FileSystem, directory: String, reserve: SpaceReserve, last: SegmentIndex,
        inBackground: Bool
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.reserve = reserve
        thread = inBackground ? SerialThread(name: "RealmActors segments") : nil
        state = Mutex(State(taken: last))
    }

    /// Begins to make the segment after the last one taken.
    func prepare(size: Int) {
        _ = thread?.run { [weak self] in self?.prepareNow(size: size) }
    }

    private func prepareNow(size: Int) {
        state.withLock { state in
            // What was given up of the reserve is not for this.
            guard state.spare == nil, state.failure == nil, reserve.isWhole, state.taken < .last
            else { return }
            do throws(StorageError) {
                state.spare = try make(state.taken.next, size: size, isZeroed: true)
            } catch {
                // What may be over by then is no failure as long as nobody needs the segment: a
                // full disk, and a process without descriptors.
                if !error.isShortage { state.failure = error }
            }
        }
    }

    /// The next segment, with at least `minimum` bytes. When none is ready, makes one of `size`
    /// bytes, of written zeros or of claimed blocks.
    func take(
        minimum: Int, size: Int, isZeroed: Bool
    ) throws(StorageError) -> PreparedSegment {
        try state.withLock { state throws(StorageError) in
            if let failure = state.failure { throw failure }
            guard state.taken < .last else {
                throw .invalid(
                    "The log at \(directory) has had \(SegmentIndex.last) segments, and cannot "
                        + "have more. Make a copy by writeCopy, whose log begins anew.")
            }
            let index = state.taken.next
            if let spare = state.spare, spare.size >= minimum {
                state.spare = nil
                state.taken = index
                return spare
            }
            state.spare = nil
            let made = try make(index, size: size, isZeroed: isZeroed)
            state.taken = index
            return made
        }
    }

    /// The newest segment that was handed out.
    var lastTaken: SegmentIndex { state.withLock { $0.taken } }

    /// Bytes of the spare.
    var spareSize: Int { state.withLock { $0.spare?.size ?? 0 } }

    /// Removes the spare, so that the next segment is made to measure, or for its space.
    func discardSpare() { state.withLock { removeSpare(&$0) } }

    private func removeSpare(_ state: inout State) {
        // What cannot be removed is an unusable segment behind the log: it is ignored.
        if let spare = state.spare { try? fileSystem.remove(spare.path) }
        state.spare = nil
    }

    /// Takes back segments that were not begun.
    func giveBack(_ segments: [PreparedSegment]) {
        guard let first = segments.first else { return }
        state.withLock { state in
            // One that was made meanwhile comes behind them.
            removeSpare(&state)
            // What cannot be removed is ignored as above.
            for segment in segments.reversed() { try? fileSystem.remove(segment.path) }
            state.taken = SegmentIndex(first.index.rawValue - 1)
        }
    }

    /// Takes back segments that something was written to, durably, the newest first: at no moment
    /// is there one without the one before.
    func revoke(_ segments: [PreparedSegment]) throws(StorageError) {
        guard let first = segments.first else { return }
        try state.withLock { state throws(StorageError) in
            removeSpare(&state)
            for segment in segments.reversed() { try takeBack(segment) }
            state.taken = SegmentIndex(first.index.rawValue - 1)
        }
    }

    private func takeBack(_ segment: PreparedSegment) throws(StorageError) {
        let isClear = try clearIfFits(segment)
        do throws(StorageError) {
            try fileSystem.remove(segment.path)
            try fileSystem.syncDirectory(directory)
        } catch {
            // Where nothing is written in place, removing takes space as well. What nobody takes
            // for a segment that was begun may stay: it is ignored as above.
            guard case .outOfSpace = error.claimingSpace else { throw error }
            if isClear { return }
            reserve.spend()
            try clear(segment)
        }
    }

    /// False where there is no space for zeros: then nothing is written in place, and they would
    /// not help what is removed.
    private func clearIfFits(_ segment: PreparedSegment) throws(StorageError) -> Bool {
        // Nothing may have been written to the last ones.
        let header = try segment.file.bytes(in: 0..<SegmentHeader.size)
        if header.allSatisfy({ $0 == 0 }) { return true }
        do throws(StorageError) {
            try clear(segment)
            return true
        } catch {
            guard case .outOfSpace = error.claimingSpace else { throw error }
            return false
        }
    }

    /// Leaves nothing by which a segment would be taken for one that was begun. The next file under
    /// its number may get its blocks, and the power fail before that is written.
    private func clear(_ segment: PreparedSegment) throws(StorageError) {
        // With the headers of the frames: only one of a group stands in a segment of its own.
        try segment.file.writeZeros(from: 0, to: min(4096, segment.size))
        try segment.file.sync()
    }

    /// Removes the spare and ends the thread.
    func stop() {
        thread?.stopAndWait()
        discardSpare()
    }

    private func make(
        _ index: SegmentIndex, size: Int, isZeroed: Bool
    ) throws(StorageError) -> PreparedSegment {
        let path = directory + "/" + index.fileName
        do throws(StorageError) {
            do throws(StorageError) {
                try fileSystem.remove(path)
            } catch .fileNotFound {
                // The usual case: nothing is left of an earlier attempt.
            }
            let file = try fileSystem.open(path, .create)
            if isZeroed {
                try file.writeZeros(from: 0, to: size)
            } else {
                try file.allocate(size)
            }
            try file.sync()
            try fileSystem.syncDirectory(directory)
            return PreparedSegment(file: file, index: index, size: size, path: path)
        } catch {
            let cause = error.claimingSpace
            if cause.isShortage { try? fileSystem.remove(path) }
            throw cause
        }
    }
}
