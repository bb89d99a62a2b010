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
    private let thread: SerialThread?
    private let state: Mutex<State>

    init(
        fileSystem: any FileSystem, directory: String, last: SegmentIndex, inBackground: Bool
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        thread = inBackground ? SerialThread(name: "RealmActors segments") : nil
        state = Mutex(State(taken: last))
    }

    /// Begins to make the segment after the last one taken.
    func prepare(size: Int) {
        _ = thread?.run { [weak self] in self?.prepareNow(size: size) }
    }

    private func prepareNow(size: Int) {
        state.withLock { state in
            guard state.spare == nil, state.failure == nil else { return }
            do throws(StorageError) {
                state.spare = try make(state.taken.next, size: size, isZeroed: true)
            } catch {
                // A full disk is no failure as long as nobody needs the segment.
                if case .outOfSpace = error { return }
                state.failure = error
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

    /// Forgets the spare, so that the next segment is made to measure.
    func discardSpare() { state.withLock { $0.spare = nil } }

    /// Takes back segments that were not begun.
    func giveBack(_ segments: [PreparedSegment]) {
        state.withLock { state in
            for segment in segments.reversed() {
                // What cannot be removed is an unusable segment behind the log: it is ignored.
                try? fileSystem.remove(segment.path)
            }
            if let first = segments.first {
                state.taken = SegmentIndex(first.index.rawValue - 1)
            }
        }
    }

    /// Removes the spare and ends the thread.
    func stop() {
        thread?.stopAndWait()
        state.withLock { state in
            if let spare = state.spare { try? fileSystem.remove(spare.path) }
            state.spare = nil
        }
    }

    private func make(
        _ index: SegmentIndex, size: Int, isZeroed: Bool
    ) throws(StorageError) -> PreparedSegment {
        let path = directory + "/" + index.fileName
        do {
            try fileSystem.remove(path)
        } catch .fileNotFound {
            // The usual case: nothing is left of an earlier attempt.
        }
        do {
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
            if case .outOfSpace = cause { try? fileSystem.remove(path) }
            throw cause
        }
    }
}
