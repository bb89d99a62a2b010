import Synchronization

/// A shared log in memory, for tests: each host of a process has a handle of its own on one engine.
package final class MemorySharedLog: SharedLog {
    /// The state of one engine, until its last handle is released.
    package final class Engine: Sendable {
        fileprivate let state = Mutex(State())

        package init() {}

        /// Loses the entries from `slot` on, like an engine that has not made them durable.
        package func loseEntries(from slot: LogSlot) {
            state.withLock { state in
                while state.head.next > max(slot, state.head.first) { state.entries.removeLast() }
            }
        }
    }

    fileprivate struct State {
        struct Image {
            var image: SharedLogImage
            var parts: [[UInt8]]
        }

        var first = LogSlot.first
        var entries: [[UInt8]] = []
        /// The newest first.
        var images: [Image] = []
        var mailboxes: [Mailbox] = []

        var head: SharedLogHead {
            SharedLogHead(first: first, next: LogSlot(first.rawValue + UInt64(entries.count)))
        }
    }

    /// The watch of a handle. Its lock is taken after the engine's, or alone.
    fileprivate final class Mailbox: Sendable {
        struct Contents {
            var news = SharedLogNews()
            var isClosed = false

            /// The notice that the watcher is to receive of a log that ends before `next`, if any.
            mutating func takeNotice(_ next: LogSlot) -> SharedLogNotice? {
                news.newest = next.previous ?? LogSlot(0)
                return news.takeNotice(of: isClosed ? .closed : nil)
            }
        }

        let contents = Mutex(Contents())
    }

    private let engine: Engine
    private let mailbox = Mailbox()

    package init(_ engine: Engine) {
        self.engine = engine
        engine.state.withLock { $0.mailboxes.append(mailbox) }
    }

    deinit { close() }

    /// Calls `body` with the state of the engine, unless the handle was closed.
    private func withState<R>(
        _ body: (inout State) throws(SharedLogError) -> sending R
    ) throws(SharedLogError) -> R {
        try engine.state.withLock { state throws(SharedLogError) in
            if mailbox.contents.withLock({ $0.isClosed }) { throw .closed }
            return try body(&state)
        }
    }

    package func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let isFirst = try withState { state in
            guard state.head.next == slot else { return false }
            if let last, let before = state.entries.last, SharedEntryHash(of: before) != last {
                return false
            }
            state.entries.append(entry)
            return true
        }
        if isFirst { notify() }
        return isFirst
    }

    package func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        try withState { state throws(SharedLogError) in
            let head = state.head
            guard slot >= head.first else { throw .trimmed(first: head.first) }
            var found: [SharedLogEntry] = []
            var (next, size) = (slot, 0)
            while next < head.next {
                let bytes = state.entries[Int(next.rawValue - head.first.rawValue)]
                size += bytes.count
                if size > bytesMax, !found.isEmpty { break }
                found.append(SharedLogEntry(slot: next, bytes: bytes))
                next = next.next
            }
            return found
        }
    }

    package func head() throws(SharedLogError) -> SharedLogHead { try withState { $0.head } }

    package var knownNext: LogSlot? { engine.state.withLock { $0.head.next } }

    package func barrier() throws(SharedLogError) { try withState { _ in } }
}

// MARK: Watching

extension MemorySharedLog {
    package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
        mailbox.contents.withLock { $0.news.watch = (slot, noticed) }
        notify()
    }

    package func wake() {
        mailbox.contents.withLock { $0.news.isCheckDue = true }
        notify()
    }

    package func send(_ message: [UInt8]) throws(SharedLogError) {
        try withState { state in
            for mailbox in state.mailboxes {
                mailbox.contents.withLock { $0.news.messages.append(message) }
            }
        }
        notify()
    }

    /// Notifies all watchers of the engine that have news.
    private func notify() {
        let notices = engine.state.withLock { state in
            (state.mailboxes + [mailbox]).compactMap { mailbox in
                mailbox.contents.withLock { $0.takeNotice(state.head.next) }
            }
        }
        for notice in notices { notice.deliver() }
    }

    package func close() {
        engine.state.withLock { state in state.mailboxes.removeAll { $0 === mailbox } }
        mailbox.contents.withLock { $0.isClosed = true }
        notify()
    }
}

// MARK: Images

extension MemorySharedLog {
    package func images() throws(SharedLogError) -> [SharedLogImage] {
        try withState { $0.images.map(\.image) }
    }

    package func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
        var parts: [[UInt8]] = []
        while let next = try part() { parts.append(next) }
        guard image.describes(parts: parts.count, bytes: parts.reduce(0) { $0 + $1.count }) else {
            throw SharedLogError.refused(SharedLogImage.otherParts)
        }
        try withState { state in
            let index = state.images.firstIndex { $0.image.slot <= image.slot }
            if let index, state.images[index].image.slot == image.slot { return }
            state.images.insert(
                State.Image(image: image, parts: parts), at: index ?? state.images.count)
        }
    }

    package func part(
        _ number: Int, of image: SharedLogImage
    ) throws(SharedLogError) -> [UInt8] {
        try withState { state throws(SharedLogError) in
            let found = state.images.first { $0.image == image }
            guard let found, found.parts.indices.contains(number) else {
                throw .trimmed(first: state.head.first)
            }
            return found.parts[number]
        }
    }

    package func trim(
        below slot: LogSlot, imagesBelow image: LogSlot?
    ) throws(SharedLogError) {
        try withState { state in
            let first = min(max(slot, state.first), state.head.next)
            state.entries.removeFirst(Int(first.rawValue - state.first.rawValue))
            state.first = first
            if let image { state.images.removeAll { $0.image.slot < image } }
        }
    }
}

extension SharedLogImage {
    static let otherParts = "The parts of the image differ from its header."

    /// Whether it has this number of parts and bytes.
    func describes(parts: Int, bytes: Int) -> Bool {
        self.parts == parts && self.bytes == bytes && parts > 0
    }
}
