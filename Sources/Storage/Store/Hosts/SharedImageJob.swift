import Synchronization

/// The image that an open store makes in the background, one at a time.
final class SharedImageJob: Sendable {
    private struct State {
        var running: (monitor: ReadingMonitor, end: EndSignal)?
        var notBefore: ContinuousClock.Instant?
    }

    /// How soon it is tried again to make an image that could not be made.
    private static let retryInterval = Duration.seconds(60)

    private let state = Mutex(State())

    /// Has an image made if one is due. Returns at once.
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

    /// Ends what goes on. Returns at once.
    func cancel() { state.withLock { $0.running?.monitor.cancel() } }

    /// Ends what goes on, and waits for that.
    func stop() async {
        let running = state.withLock { $0.running }
        running?.monitor.cancel()
        await running?.end.wait()
    }
}
