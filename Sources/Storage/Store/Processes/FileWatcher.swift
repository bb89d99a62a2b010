import Synchronization

/// Tells of files that are written, by this process or another. One thread and one descriptor serve
/// all stores of the process, because a system allows a user few of the latter.
final class FileWatcher: Sendable {
    static let shared = FileWatcher()

    typealias Handler = @Sendable () -> Void

    /// Ends with its last reference.
    final class Watch: Sendable {
        private let watcher: FileWatcher
        private let number: Int32
        private let id: Int

        fileprivate init(_ watcher: FileWatcher, _ number: Int32, _ id: Int) {
            self.watcher = watcher
            self.number = number
            self.id = id
        }

        deinit { watcher.remove(number, id) }
    }

    private struct State {
        /// Negative until there is one.
        var descriptor: Int32 = -1
        var handlers = SortedTable<Int32, SortedTable<Int, Handler>>()
        var lastID = 0
        /// Whether a thread waits for the notifications of the system.
        var isTelling = false
        /// Whether a thread polls for those who cannot be notified.
        var isLooking = false
    }

    /// Stands for all that the system has no watch for: a limit of what a user may have is reached.
    private static let unwatched: Int32 = -1
    /// How often those look.
    private static let interval = Duration.milliseconds(20)

    private let state = Mutex(State())
    /// Runs something on a thread of its own; false when there is none.
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool

    init(
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = {
            Platform.runOnThread($0)
        }
    ) {
        self.startThread = startThread
    }

    /// Calls `handler`, on a thread that it must not keep, whenever what is at `path` was written.
    /// Nil when nothing is there, or the system has no thread left that could call.
    func watch(_ path: String, _ handler: @escaping Handler) -> Watch? {
        let (watch, starts, looks) = state.withLock { state -> (Watch?, Int32?, Bool) in
            if state.descriptor < 0 { state.descriptor = Platform.makeWatcher() }
            var starts: Int32?
            if state.descriptor >= 0, !state.isTelling {
                state.isTelling = true
                starts = state.descriptor
            }
            var number = Self.unwatched
            if state.descriptor >= 0 {
                number = Platform.addWatch(state.descriptor, path)
                if number < 0, Platform.errorNumber == Platform.noSuchFile {
                    return (nil, starts, false)
                }
            }
            state.lastID += 1
            state.handlers[max(number, Self.unwatched), default: SortedTable()][
                state.lastID] = handler
            let looks = number < 0 && !state.isLooking
            if looks { state.isLooking = true }
            return (Watch(self, max(number, Self.unwatched), state.lastID), starts, looks)
        }
        var isServed = true
        if let starts, !startThread({ [self] in tell(starts) }) {
            state.withLock { $0.isTelling = false }
            isServed = false
        }
        if looks, !startThread({ [self] in look() }) {
            state.withLock { $0.isLooking = false }
            isServed = false
        }
        return isServed ? watch : nil
    }

    private func remove(_ number: Int32, _ id: Int) {
        // The handler goes outside the lock.
        let handler = state.withLock { state in
            let handler = state.handlers[number]?[id]
            state.handlers[number]?[id] = nil
            if state.handlers[number]?.isEmpty == true {
                state.handlers[number] = nil
                if number >= 0 { Platform.removeWatch(state.descriptor, number) }
            }
            return handler
        }
        withExtendedLifetime(handler) {}
    }

    private func handlers(of number: Int32?) -> [Handler] {
        state.withLock { state in
            guard let number else { return state.handlers.values.flatMap(\.values) }
            return state.handlers[number]?.values ?? []
        }
    }

    private func tell(_ descriptor: Int32) {
        while Platform.awaitWatched(
            descriptor, { number in for handler in handlers(of: number) { handler() } })
        {}
    }

    /// Polls for those who cannot be notified, for as long as there are any.
    private func look() {
        while true {
            Platform.pause(for: Self.interval)
            for handler in handlers(of: Self.unwatched) { handler() }
            let isDone = state.withLock { state in
                if state.handlers[Self.unwatched] != nil { return false }
                state.isLooking = false
                return true
            }
            if isDone { return }
        }
    }
}
