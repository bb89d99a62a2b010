import Synchronization

/// Makes images of an open store in the background, one at a time.
final class SharedImageJob: Sendable {
    private struct State {
        var running: (monitor: ReadingMonitor, end: EndSignal)?
        /// The journal of the open store; nil while none is open.
        var journal: SharedJournal?
        var notBefore: Instant?
    }

    /// How soon a failed image is retried.
    private static let retryInterval = Duration.seconds(60)

    private let state = Mutex(State())

    /// The store is open with this journal: images of it may be made until ``stop()``.
    func allow(_ journal: SharedJournal) { state.withLock { $0.journal = journal } }

    /// Starts to make an image if one is due, and the journal is that of the open store; returns
    /// whether it has started. Returns at once.
    @discardableResult
    func beginIfDue(_ engine: TransactionEngine, _ journal: SharedJournal) -> Bool {
        let monitor = ReadingMonitor()
        let maker = SharedImageMaker(engine: engine, journal: journal, monitor: monitor)
        guard maker.isDue else { return false }
        let end = EndSignal()
        let begins = state.withLock { state in
            // A watch of the log may go on for a moment after a stop. A second image would share
            // its folder with one of the reopened store.
            if state.journal !== journal || state.running != nil { return false }
            if let time = state.notBefore, time > .now { return false }
            state.running = (monitor, end)
            return true
        }
        guard begins else { return false }
        BlockingWork.start { [self] in
            let isMade = (try? maker.makeIfDue()) != nil
            state.withLock { state in
                state.running = nil
                state.notBefore = isMade ? nil : .now + Self.retryInterval
            }
            end.finish()
        }
        return true
    }

    /// Cancels the image in progress. Returns at once.
    func cancel() { state.withLock { $0.running?.monitor.cancel() } }

    /// Cancels the image in progress, and waits for its end. None starts until ``allow(_:)``.
    func stop() async {
        let running = state.withLock { state in
            state.journal = nil
            return state.running
        }
        running?.monitor.cancel()
        await running?.end.wait()
    }
}
