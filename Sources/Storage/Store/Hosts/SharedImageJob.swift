import Synchronization

/// Makes images of an open store in the background, one at a time.
final class SharedImageJob: Sendable {
    private struct State {
        var running: (monitor: ReadingMonitor, end: EndSignal)?
        var notBefore: Instant?
    }

    /// How soon a failed image is retried.
    private static let retryInterval = Duration.seconds(60)

    private let state = Mutex(State())

    /// Starts to make an image if one is due. Returns at once.
    func beginIfDue(_ engine: TransactionEngine, _ journal: SharedJournal) {
        let monitor = ReadingMonitor()
        let maker = SharedImageMaker(engine: engine, journal: journal, monitor: monitor)
        guard maker.isDue else { return }
        let end = EndSignal()
        let begins = state.withLock { state in
            if state.running != nil { return false }
            if let time = state.notBefore, time > .now { return false }
            state.running = (monitor, end)
            return true
        }
        guard begins else { return }
        BlockingWork.start { [self] in
            let isMade = (try? maker.makeIfDue()) != nil
            state.withLock { state in
                state.running = nil
                state.notBefore = isMade ? nil : .now + Self.retryInterval
            }
            end.finish()
        }
    }

    /// Cancels the image in progress. Returns at once.
    func cancel() { state.withLock { $0.running?.monitor.cancel() } }

    /// Cancels the image in progress, and waits for its end.
    func stop() async {
        let running = state.withLock { $0.running }
        running?.monitor.cancel()
        await running?.end.wait()
    }
}
