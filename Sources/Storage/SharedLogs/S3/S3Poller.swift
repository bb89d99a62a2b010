#if S3
    import Synchronization

    /// Looks at the bucket of a log while someone watches: often while something happens there, and
    /// less and less often while nothing does. One list has the entries from the watched slot on,
    /// and what hosts have sent.
    final class S3Poller: Sendable {
        typealias Instant = ContinuousClock.Instant

        fileprivate struct State {
            var watch: (slot: LogSlot, noticed: SharedLogWatcher)?
            var isClosed = false
            /// Whether the watcher is to look by itself.
            var isToLook = false
            /// Why the bucket could not be looked at.
            var failure: SharedLogError?
            /// The newest slot that is known to have an entry.
            var newest = LogSlot(0)
            /// The slot for which the watcher was called last.
            var told: LogSlot?
            var messages: [[UInt8]] = []
            /// Since when messages are there that were read, or when they were last removed.
            var seen: [String: Instant] = [:]
            /// Whether it looks, or is about to.
            var isPolling = false
            var lastPoll: Instant?
            var pause: Duration
        }

        /// How long messages stay, for all hosts to read them.
        private static let messageTime = Duration.seconds(5)
        private static let pauseMin = Duration.milliseconds(1)
        /// How many objects are listed at a time: as many as a list has. What is sent stands behind
        /// entries and images.
        private static let objectsMax = 1000

        private let transport: any S3Transport
        private let layout: S3Layout
        private let polling: ClosedRange<Duration>
        private let state: Mutex<State>

        init(_ transport: any S3Transport, _ layout: S3Layout, _ polling: ClosedRange<Duration>) {
            self.transport = transport
            self.layout = layout
            // Without a pause it would ask as fast as it can.
            let pause = max(polling.lowerBound, Self.pauseMin)
            self.polling = pause...max(pause, polling.upperBound)
            state = Mutex(State(pause: pause))
        }

        func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
            change { $0.watch = (slot, noticed) }
        }

        func wake() { change { $0.isToLook = true } }

        func close() {
            change { state in
                state.isClosed = true
                state.failure = .closed
            }
        }

        /// Changes what is known, and calls the watcher or goes on looking.
        private func change(_ change: (inout State) -> Void) {
            let (notice, delay) = state.withLock { state -> (SharedLogNotice?, Duration?) in
                change(&state)
                let notice = state.takeNews()
                guard state.watch != nil, !state.isPolling else { return (notice, nil) }
                state.isPolling = true
                let time = state.lastPoll.map { $0 + state.pause } ?? .now
                return (notice, max(.zero, time - .now))
            }
            notice?.tell()
            guard let delay else { return }
            S3Alarm.shared.set(after: delay) { [weak self] in self?.poll() }
        }

        // MARK: Looking

        private func poll() {
            let slot = state.withLock { state in
                if state.watch == nil || state.isClosed { state.isPolling = false }
                return state.isPolling ? state.watch?.slot : nil
            }
            guard let slot else { return }
            let request = S3Bucket.listing(
                layout.prefix, after: layout.name(before: slot), atMost: Self.objectsMax)
            _ = transport.start(request) { [weak self] outcome in
                self?.receive(outcome)
            }
        }

        private func receive(_ outcome: Result<S3Response, S3Failure>) {
            let answer: S3Response
            do throws(S3Failure) { answer = try outcome.get() } catch {
                return finish(failure: error.ofReading)
            }
            guard answer.isSuccess, let listing = S3Listing(answer.body) else {
                return finish(failure: answer.error)
            }
            let keys = listing.objects.map(\.key)
            let newest = keys.compactMap { layout.slot(of: $0, in: layout.entries) }.max()
            let messages = keys.filter { $0.hasPrefix(layout.messages) }
            // Who waits for an entry need not wait for messages to be read.
            change { state in
                if let newest { state.newest = max(state.newest, newest) }
            }
            let (new, old) = state.withLock { state in
                state.sort(
                    messages, areAll: !listing.isTruncated, olderThan: Self.messageTime)
            }
            for key in old { _ = transport.start(S3Request(.delete, key)) { _ in } }
            fetch(new[...], [], isNew: newest != nil)
        }

        /// Reads messages one after the other: there are few.
        private func fetch(_ keys: ArraySlice<String>, _ messages: [[UInt8]], isNew: Bool) {
            guard let key = keys.first else {
                return finish(messages, isNew: isNew || !messages.isEmpty)
            }
            _ = transport.start(S3Request(.get, key)) { [weak self] outcome in
                var messages = messages
                // It may have been removed.
                if case .success(let answer) = outcome, answer.isSuccess {
                    messages.append(answer.body)
                }
                self?.fetch(keys.dropFirst(), messages, isNew: isNew)
            }
        }

        private func finish(
            _ messages: [[UInt8]] = [], isNew: Bool = false, failure: SharedLogError? = nil
        ) {
            change { [polling] state in
                state.isPolling = false
                state.lastPoll = .now
                state.messages += messages
                if state.failure == nil { state.failure = failure }
                state.pause = isNew ? polling.lowerBound : min(state.pause * 2, polling.upperBound)
            }
        }
    }

    extension S3Poller.State {
        /// The notice that the watcher is to receive, if any.
        fileprivate mutating func takeNews() -> SharedLogNotice? {
            guard let (slot, noticed) = watch else { return nil }
            guard slot <= newest || isToLook || failure != nil || !messages.isEmpty
            else { return nil }
            watch = nil
            isToLook = false
            // A watcher that has gone on may not have read all of it yet. One that comes back for
            // the same slot does not find there what was said to be.
            if told == slot { newest = LogSlot(0) }
            told = slot
            if let failure {
                self.failure = isClosed ? .closed : nil
                return SharedLogNotice(noticed, .failure(failure))
            }
            defer { messages = [] }
            return SharedLogNotice(noticed, .success(messages))
        }

        /// The messages that were not read before, and those that have been there for so long that
        /// they are to be removed. By the time of this host only.
        fileprivate mutating func sort(
            _ keys: [String], areAll: Bool, olderThan time: Duration
        ) -> (new: [String], old: [String]) {
            let now = S3Poller.Instant.now
            if areAll {
                let there = Set(keys)
                seen = seen.filter { there.contains($0.key) }
            }
            let new = keys.filter { seen[$0] == nil }
            let old = keys.filter { key in seen[key].map { now - $0 > time } ?? false }
            // What is there all the same is removed once more.
            for key in new + old { seen[key] = now }
            return (new, old)
        }
    }
#endif
