import Synchronization

/// A segment file that is ready for use: created, filled and synced, with a durable name.
struct PreparedSegment: Sendable {
    let file: any File
    let index: SegmentIndex
    let size: Int
    let path: String
}

/// Creates the next log segment before it is needed, so that a commit never changes file metadata.
///
/// The mutex is held while a segment is created: `take` finds a spare that is ready, waits for the
/// one in preparation, or creates one.
final class SegmentPreparer: Sendable {
    private struct State {
        var spare: PreparedSegment?
        /// A disk failure during preparation, which the next `take` throws.
        var failure: StorageError?
        /// The newest segment that was handed out.
        var taken: SegmentIndex
    }

    private let fileSystem: any FileSystem
    private let directory: String
    private let reserve: SpaceReserve
    /// Whether the store's folder is still at its path.
    private let isInPlace: @Sendable () -> Bool
    private let thread: SerialThread?
    private let state: Mutex<State>

    init(
        fileSystem: any FileSystem, directory: String, reserve: SpaceReserve, last: SegmentIndex,
        inBackground: Bool, isInPlace: @escaping @Sendable () -> Bool = { true }
    ) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.reserve = reserve
        self.isInPlace = isInPlace
        thread = inBackground ? SerialThread(name: "RealmActors segments") : nil
        state = Mutex(State(taken: last))
    }

    /// The preparer of a store's log, for the process that has `lock`.
    convenience init(
        _ store: StoreDirectory, _ options: LogOptions, reserve: SpaceReserve, last: SegmentIndex,
        lock: (any FileLock)?
    ) {
        self.init(
            fileSystem: store.fileSystem, directory: store.logPath, reserve: reserve, last: last,
            inBackground: options.preparesInBackground
        ) { [weak lock] in lock?.isInPlace ?? true }
    }

    /// Starts to create the segment after the last one taken.
    func prepare(size: Int) {
        _ = thread?.run { [weak self] in self?.prepareNow(size: size) }
    }

    private func prepareNow(size: Int) {
        state.withLock { state in
            // The space of a spent reserve must not be used for this.
            guard state.spare == nil, state.failure == nil, reserve.isWhole, state.taken < .last
            else { return }
            do throws(StorageError) {
                state.spare = try make(state.taken.next, size: size, isZeroed: true)
            } catch {
                // A full disk or a lack of descriptors may be over by the time the segment is
                // needed.
                if !error.isShortage { state.failure = error }
            }
        }
    }

    /// The next segment, with at least `minimum` bytes. If none is ready, creates one of `size`
    /// bytes, of written zeros or of allocated blocks.
    func take(
        minimum: Int, size: Int, isZeroed: Bool
    ) throws(StorageError) -> PreparedSegment {
        try state.withLock { state throws(StorageError) in
            if let failure = state.failure { throw failure }
            guard state.taken < .last else {
                throw .invalid(
                    "The log at '\(directory)' has reached its limit of \(SegmentIndex.last) "
                        + "segments. Make a copy with writeCopy, which has a new log.")
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

    /// Removes the spare, to free its space or to create the next segment in another size.
    func discardSpare() { state.withLock { removeSpare(&$0) } }

    private func removeSpare(_ state: inout State) {
        // A file that cannot be removed is an unusable segment after the log's end, which is
        // ignored.
        if let spare = state.spare, isInPlace() { try? fileSystem.remove(spare.path) }
        state.spare = nil
    }

    /// Removes segments that were not written to; their numbers are used again.
    func returnUnused(_ segments: [PreparedSegment]) {
        guard let first = segments.first else { return }
        state.withLock { state in
            // A spare that was created since has a higher number.
            removeSpare(&state)
            // Errors are ignored as above.
            if isInPlace() {
                for segment in segments.reversed() { try? fileSystem.remove(segment.path) }
            }
            state.taken = SegmentIndex(first.index.rawValue - 1)
        }
    }

    /// Durably removes segments that were written to, the newest first, so that no segment ever
    /// exists without its predecessor.
    func revoke(_ segments: [PreparedSegment]) throws(StorageError) {
        guard let first = segments.first else { return }
        try state.withLock { state throws(StorageError) in
            removeSpare(&state)
            for segment in segments.reversed() { try recycle(segment) }
            state.taken = SegmentIndex(first.index.rawValue - 1)
        }
    }

    private func recycle(_ segment: PreparedSegment) throws(StorageError) {
        let isClear = try clearIfFits(segment)
        guard isInPlace() else { throw .replaced(path: directory.parentPath) }
        do throws(StorageError) {
            try fileSystem.remove(segment.path)
            try fileSystem.syncDirectory(directory)
        } catch {
            // On a copy-on-write file system, removing needs space as well. A segment without a
            // header may stay: it is ignored as above.
            guard case .outOfSpace = error.claimingSpace else { throw error }
            if isClear { return }
            reserve.spend()
            try clear(segment)
        }
    }

    /// False if there is no space for zeros: on such a copy-on-write file system, overwriting does
    /// not help before a removal.
    private func clearIfFits(_ segment: PreparedSegment) throws(StorageError) -> Bool {
        // The last ones may not have been written to.
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

    /// Erases everything by which the segment could be taken for one in use. The next file with its
    /// number may get the same blocks, and the power may fail before they are overwritten.
    private func clear(_ segment: PreparedSegment) throws(StorageError) {
        // This covers the frame's headers as well: a segment of its own has only one frame of a
        // group.
        try segment.file.writeZeros(from: 0, to: min(DiskBlock.size, segment.size))
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
        guard isInPlace() else { throw .replaced(path: directory.parentPath) }
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
