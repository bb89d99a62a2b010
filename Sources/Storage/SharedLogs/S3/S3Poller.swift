#if S3
    import Synchronization

    /// Polls the bucket of a log while it is watched: often while it changes, and less and less
    /// often while it does not. One list has the entries from the watched slot on, and the messages
    /// of hosts.
    final class S3Poller: Sendable {
        fileprivate struct State {
            var news = SharedLogNews()
            var isClosed = false
            /// The error of the last poll.
            var failure: SharedLogError?
            /// The next slot by the last list that had entries; nil if a poll has failed since.
            var next: LogSlot?
            /// When messages were first seen, or last removed.
            var seen: [String: Instant] = [:]
            /// Whether it is polling, or about to.
            var isPolling = false
            var lastPoll: Instant?
            var pause: Duration
        }

        /// How long messages are kept, for all hosts to read them.
        private static let messageTime = Duration.seconds(5)
        private static let pauseMin = Duration.milliseconds(1)
        /// The maximum number of objects in a list. Messages sort after entries and images.
        private static let objectsMax = 1000

        private let transport: any S3Transport
        private let layout: S3Layout
        private let polling: ClosedRange<Duration>
        private let state: Mutex<State>

        init(_ transport: any S3Transport, _ layout: S3Layout, _ polling: ClosedRange<Duration>) {
            self.transport = transport
            self.layout = layout
            // Without a pause it would poll as fast as it can.
            let pause = max(polling.lowerBound, Self.pauseMin)
            self.polling = pause...max(pause, polling.upperBound)
            state = Mutex(State(pause: pause))
        }

        func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
            change { $0.news.watch = (slot, noticed) }
        }

        func wake() { change { $0.news.isCheckDue = true } }

        /// The next slot, as far as it is known: a list has a limited number of entries.
        var knownNext: LogSlot? { state.withLock { $0.next } }

        func close() {
            change { state in
                state.isClosed = true
                state.failure = .closed
            }
        }

        /// Changes the state, and calls the watcher or continues to poll.
        private func change(_ change: (inout State) -> Void) {
            let (notice, delay) = state.withLock { state -> (SharedLogNotice?, Duration?) in
                change(&state)
                let notice = state.takeNotice()
                guard state.news.watch != nil, !state.isPolling else { return (notice, nil) }
                state.isPolling = true
                let time = state.lastPoll.map { $0 + state.pause } ?? .now
                return (notice, max(.zero, time - .now))
            }
            notice?.deliver()
            guard let delay else { return }
            S3Alarm.shared.set(after: delay) { [weak self] in self?.poll() }
        }

        // MARK: Polling

        private func poll() {
            let slot = state.withLock { state in
                if state.news.watch == nil || state.isClosed { state.isPolling = false }
                return state.isPolling ? state.news.watch?.slot : nil
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
            // The notice of an entry need not wait until messages are read.
            change { state in
                if let newest {
                    state.news.newest = max(state.news.newest, newest)
                    state.next = max(state.next ?? newest.next, newest.next)
                }
                // The watcher reads the pages after an empty one.
                if listing.objects.isEmpty, listing.isTruncated { state.news.isCheckDue = true }
            }
            let (new, old) = state.withLock { state in
                state.sort(
                    messages, areAll: !listing.isTruncated, olderThan: Self.messageTime)
            }
            for key in old { _ = transport.start(S3Request(.delete, key)) { _ in } }
            fetch(new, isNew: newest != nil)
        }

        /// Reads messages, several of them concurrently: the bucket is not polled meanwhile, and
        /// with each waiting host there are more. The time limit of a request begins when it is
        /// started, whether or not there is a connection for it.
        private func fetch(_ keys: [String], isNew: Bool) {
            if keys.isEmpty { return finish(isNew: isNew) }
            let first = keys.indices.prefix(S3Bucket.callsMax)
            let arrivals = Arrivals(keys, series: first.count)
            for number in first { read(number, arrivals, isNew: isNew) }
        }

        /// Reads a message, and then the next one of its series, until the storage does not answer.
        private func read(_ number: Int, _ arrivals: Arrivals, isNew: Bool) {
            let request = S3Request(.get, arrivals.keys[number])
            _ = transport.start(request) { [weak self] outcome in
                if case .success(let answer) = outcome {
                    // It may have been removed.
                    if answer.isSuccess { arrivals.note(answer.body, number) }
                    let next = number + S3Bucket.callsMax
                    if next < arrivals.keys.count {
                        self?.read(next, arrivals, isNew: isNew)
                        return
                    }
                }
                guard let messages = arrivals.endSeries() else { return }
                self?.finish(messages, isNew: isNew || !messages.isEmpty)
            }
        }

        /// The messages that are being read, in several concurrent series.
        private final class Arrivals: Sendable {
            let keys: [String]
            private let state: Mutex<(series: Int, messages: [[UInt8]?])>

            init(_ keys: [String], series: Int) {
                self.keys = keys
                let messages = [[UInt8]?](repeating: nil, count: keys.count)
                state = Mutex((series: series, messages: messages))
            }

            func note(_ message: [UInt8], _ number: Int) {
                state.withLock { $0.messages[number] = message }
            }

            /// After the last series, returns the messages that were read, in the order of their
            /// numbers.
            func endSeries() -> [[UInt8]]? {
                state.withLock { state in
                    state.series -= 1
                    return state.series == 0 ? state.messages.compactMap { $0 } : nil
                }
            }
        }

        private func finish(
            _ messages: [[UInt8]] = [], isNew: Bool = false, failure: SharedLogError? = nil
        ) {
            change { [polling] state in
                state.isPolling = false
                state.lastPoll = .now
                state.news.messages += messages
                if state.failure == nil { state.failure = failure }
                if failure != nil { state.next = nil }
                state.pause = isNew ? polling.lowerBound : min(state.pause * 2, polling.upperBound)
            }
        }
    }

    extension S3Poller.State {
        /// The pending notice for the watcher, if any.
        fileprivate mutating func takeNotice() -> SharedLogNotice? {
            guard let notice = news.takeNotice(of: failure) else { return nil }
            failure = isClosed ? .closed : nil
            return notice
        }

        /// The new messages, and those that are so old that they must be removed, by the clock of
        /// this host only.
        fileprivate mutating func sort(
            _ keys: [String], areAll: Bool, olderThan time: Duration
        ) -> (new: [String], old: [String]) {
            let now = Instant.now
            if areAll {
                let there = Set(keys)
                seen = seen.filter { there.contains($0.key) }
            }
            let new = keys.filter { seen[$0] == nil }
            let old = keys.filter { key in seen[key].map { now - $0 > time } ?? false }
            // A message that still exists later is removed once more.
            for key in new + old { seen[key] = now }
            return (new, old)
        }
    }
#endif
