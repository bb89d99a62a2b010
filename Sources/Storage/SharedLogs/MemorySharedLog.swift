import Dispatch
import Synchronization

/// A shared log in memory, for tests: each host of a process has a handle of its own on one engine.
package final class MemorySharedLog: SharedLog {
    /// What one engine keeps, until its last handle goes.
    package final class Engine: Sendable {
        fileprivate let state = Mutex(State())

        package init() {}

        /// Loses the entries from `slot` on, as an engine does that has not kept them.
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

        /// Wakes those who wait.
        func notify() {
            for mailbox in mailboxes { mailbox.notify() }
        }
    }

    /// What a handle is notified of. Except for the signal, it is used under the lock of the
    /// engine only.
    fileprivate final class Mailbox: Sendable {
        struct Contents {
            var messages: [[UInt8]] = []
            var isWoken = false
            var isClosed = false
            /// Whether the handle waits for the signal, or is about to.
            var isAsleep = false
        }

        let contents = Mutex(Contents())
        let signal = DispatchSemaphore(value: 0)

        func notify(_ change: (inout Contents) -> Void = { _ in }) {
            let wakes = contents.withLock { contents in
                change(&contents)
                defer { contents.isAsleep = false }
                return contents.isAsleep
            }
            if wakes { signal.signal() }
        }
    }

    private let engine: Engine
    private let mailbox = Mailbox()

    package init(_ engine: Engine) {
        self.engine = engine
        engine.state.withLock { $0.mailboxes.append(mailbox) }
    }

    deinit { close() }

    /// Gives `body` what the engine keeps, unless the handle was closed.
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
        try withState { state in
            guard state.head.next == slot else { return false }
            if let last, let before = state.entries.last, SharedEntryHash(of: before) != last {
                return false
            }
            state.entries.append(entry)
            state.notify()
            return true
        }
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

    package func barrier() throws(SharedLogError) { try withState { _ in } }
}

// MARK: Waiting

extension MemorySharedLog {
    package func wait(
        for slot: LogSlot, atMost limit: Duration
    ) throws(SharedLogError) -> [[UInt8]] {
        let deadline = DispatchTime.now() + limit.dispatchInterval
        while true {
            let isOver = try withState { state in
                mailbox.contents.withLock { contents in
                    let isOver =
                        slot < state.head.next || contents.isWoken || !contents.messages.isEmpty
                    contents.isAsleep = !isOver
                    return isOver
                }
            }
            if isOver || !sleep(until: deadline) { return takeMessages() }
        }
    }

    /// False when the time is over.
    private func sleep(until deadline: DispatchTime) -> Bool {
        if mailbox.signal.wait(timeout: deadline) == .success { return true }
        let isAwake = mailbox.contents.withLock { contents in
            defer { contents.isAsleep = false }
            return !contents.isAsleep
        }
        // What came at the last moment has signalled, or is about to.
        if isAwake { mailbox.signal.wait() }
        return isAwake
    }

    private func takeMessages() -> [[UInt8]] {
        mailbox.contents.withLock { contents in
            defer { contents.messages = [] }
            contents.isWoken = false
            return contents.messages
        }
    }

    package func wake() { mailbox.notify { $0.isWoken = true } }

    package func send(_ message: [UInt8]) throws(SharedLogError) {
        try withState { state in
            for mailbox in state.mailboxes { mailbox.notify { $0.messages.append(message) } }
        }
    }

    package func close() {
        engine.state.withLock { state in state.mailboxes.removeAll { $0 === mailbox } }
        mailbox.notify { $0.isClosed = true }
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
    static let otherParts = "The image has other parts than it says."

    /// Whether it consists of so many parts and bytes.
    func describes(parts: Int, bytes: Int) -> Bool {
        self.parts == parts && self.bytes == bytes && parts > 0
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        // A century is enough, and does not overflow.
        let nanoseconds = Int(min(max(seconds, 0), 3_000_000_000)) * 1_000_000_000
        return .nanoseconds(nanoseconds + Int(attoseconds / 1_000_000_000))
    }
}
