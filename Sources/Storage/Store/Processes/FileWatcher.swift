import Synchronization

/// Notifies of writes to files, by this process or another. One thread and one descriptor serve all
/// stores of the process, because a system allows a user few watchers.
final class FileWatcher: Sendable {
    static let shared = FileWatcher()

    typealias Handler = @Sendable () -> Void

    /// A watch, which ends when it is deinitialized.
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
        /// The watcher's descriptor; negative until it is created.
        var descriptor: Int32 = -1
        var handlers = SortedTable<Int32, SortedTable<Int, Handler>>()
        var lastID = 0
        /// Whether a thread waits for notifications of the system.
        var isListening = false
        /// Whether a thread polls for files without a watch.
        var isPolling = false
    }

    /// The number of all files for which the system has no watch left.
    private static let unwatched: Int32 = -1
    /// The polling interval for these files.
    private static let interval = Duration.milliseconds(20)

    private let state = Mutex(State())
    /// Runs its body on a new thread; false if none can be created.
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool

    init(
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = {
            Platform.runOnThread($0)
        }
    ) {
        self.startThread = startThread
    }

    /// Calls `handler`, which must not block, whenever the file at `path` was written, or a file
    /// was created in the folder at `path`. Nil if it does not exist, or the system has no thread
    /// left.
    func watch(_ path: String, _ handler: @escaping Handler) -> Watch? {
        let (watch, starts, startsPolling) = state.withLock { state -> (Watch?, Int32?, Bool) in
            if state.descriptor < 0 { state.descriptor = Platform.makeWatcher() }
            var starts: Int32?
            if state.descriptor >= 0, !state.isListening {
                state.isListening = true
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
            let startsPolling = number < 0 && !state.isPolling
            if startsPolling { state.isPolling = true }
            return (Watch(self, max(number, Self.unwatched), state.lastID), starts, startsPolling)
        }
        var isServed = true
        if let starts, !startThread({ [self] in notifyHandlers(starts) }) {
            state.withLock { $0.isListening = false }
            isServed = false
        }
        if startsPolling, !startThread({ [self] in poll() }) {
            state.withLock { $0.isPolling = false }
            isServed = false
        }
        return isServed ? watch : nil
    }

    private func remove(_ number: Int32, _ id: Int) {
        // The handler is released outside the lock.
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

    private func notifyHandlers(_ descriptor: Int32) {
        while Platform.awaitWatched(
            descriptor, { number in for handler in handlers(of: number) { handler() } })
        {}
    }

    /// Calls the handlers of files without a watch periodically, while there are any.
    private func poll() {
        while true {
            Platform.pause(for: Self.interval)
            for handler in handlers(of: Self.unwatched) { handler() }
            let isDone = state.withLock { state in
                if state.handlers[Self.unwatched] != nil { return false }
                state.isPolling = false
                return true
            }
            if isDone { return }
        }
    }
}
