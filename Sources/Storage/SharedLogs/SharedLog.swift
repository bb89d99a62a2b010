/// The log of one realm on an engine that several hosts share and that durably keeps what it has
/// acknowledged: numbered slots, each of which is written once.
///
/// Entries are opaque bytes. Calls block until the engine has answered, except ``watch(for:_:)``,
/// ``wake()`` and ``stopWaiting()``, so they must not run on the cooperative pool. They may come
/// from several threads, ``append(_:at:behind:)`` from one at a time.
package protocol SharedLog: AnyObject, Sendable {
    /// Writes `entry` into `slot`, if that is the first one without an entry, and returns once it
    /// is durable on the engine.
    ///
    /// False if another entry was first, the slots below are not all filled, or the hash of the
    /// entry before is not `last`; nothing was written then.
    ///
    /// - Parameter last: the hash of the entry before; nil for any. If an engine has lost entries
    ///   and got others instead, this makes it refuse an append after a lost one.
    /// - Throws: ``SharedLogError/unavailable(_:)``: nothing was written, nor will be.
    ///   ``SharedLogError/outcomeUnknown(_:)``: it may have been written, or be written later; the
    ///   append may be repeated with the same bytes and slot.
    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool

    /// The entries from `slot` on, in the order of their slots and without a gap: as many as fit
    /// into `bytesMax`, and at least one if there is one.
    ///
    /// An entry that was read is not necessarily durable: see ``barrier()``. A stale response may
    /// lack the newest ones, which ``head()`` after a barrier counts.
    ///
    /// - Throws: ``SharedLogError/trimmed(first:)`` when the entry of `slot` was removed.
    func entries(from slot: LogSlot, bytesMax: Int) throws(SharedLogError) -> [SharedLogEntry]

    /// As ``entries(from:bytesMax:)``, with the first `prefix` bytes of each: some entries at a
    /// time, and at least one if there is one. An engine need not read the other bytes.
    func entries(from slot: LogSlot, prefix: Int) throws(SharedLogError) -> [SharedLogEntry]

    /// Which slots have entries, as of a moment after the call began.
    func head() throws(SharedLogError) -> SharedLogHead

    /// The slot of the next entry, as far as it is known without a call of the engine; nil if it is
    /// not. The log may have more entries by now, or, after a failover, fewer.
    var knownNext: LogSlot? { get }

    /// Returns once everything that was read before is durable.
    func barrier() throws(SharedLogError)

    /// Calls `noticed` once, on any thread and perhaps at once: when there may be an entry in
    /// `slot`, with messages that hosts have sent, or when the engine does not answer. It must not
    /// block.
    ///
    /// One watch at a time: a second one replaces the first. Messages may be lost; an entry is
    /// noticed eventually.
    func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher)

    /// Calls the current watcher, or the next one, without news.
    func wake()

    /// Sends a message of a few bytes to the hosts that watch, which may include this one. It may
    /// be lost.
    func send(_ message: [UInt8]) throws(SharedLogError)

    // MARK: Images

    /// The images that are complete, the newest first.
    func images() throws(SharedLogError) -> [SharedLogImage]

    /// Adds an image, which becomes visible once all of its parts are stored. `part` returns one
    /// part after the other, then nil. An existing image of the same slot is kept.
    func addImage(
        _ image: SharedLogImage, part: () throws -> [UInt8]?
    ) throws

    /// Part of an image by number, from 0 on.
    ///
    /// - Throws: ``SharedLogError/trimmed(first:)`` when the image was removed.
    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8]

    /// Removes the entries below `slot`, and the images below that of `image`, nil for none.
    func trim(below slot: LogSlot, imagesBelow image: LogSlot?) throws(SharedLogError)

    /// Makes calls that do not reach the engine throw ``SharedLogError/unavailable(_:)`` soon.
    /// Requests that the engine may have received are waited for as before, or not as long. A trim
    /// that takes many requests may throw the same after the current ones; the next one continues.
    func stopWaiting()

    /// Ends all activity; further calls throw.
    func close()
}

/// Receives the messages of hosts, or the error that prevents watching the log.
package typealias SharedLogWatcher = @Sendable (Result<[[UInt8]], SharedLogError>) -> Void

/// A pending call of a watcher, to be made outside all locks.
struct SharedLogNotice: Sendable {
    private let watcher: SharedLogWatcher
    private let news: Result<[[UInt8]], SharedLogError>

    init(_ watcher: @escaping SharedLogWatcher, _ news: Result<[[UInt8]], SharedLogError>) {
        self.watcher = watcher
        self.news = news
    }

    func deliver() { watcher(news) }
}

extension SharedLog {
    /// Writes `entry` into `slot`, after any entry.
    package func append(_ entry: [UInt8], at slot: LogSlot) throws(SharedLogError) -> Bool {
        try append(entry, at: slot, behind: nil)
    }

    /// For an engine that has to be called to find the end of its log.
    package var knownNext: LogSlot? { nil }

    /// For an engine whose calls do not wait.
    package func stopWaiting() {}

    /// For an engine that reads whole entries anyway.
    package func entries(
        from slot: LogSlot, prefix: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        try entries(from: slot, bytesMax: 1 << 20).map { entry in
            SharedLogEntry(slot: entry.slot, bytes: Array(entry.bytes.prefix(prefix)))
        }
    }
}

/// An entry that was read.
package struct SharedLogEntry: Sendable, Hashable {
    package let slot: LogSlot
    package let bytes: [UInt8]

    package init(slot: LogSlot, bytes: [UInt8]) {
        self.slot = slot
        self.bytes = bytes
    }
}

/// Which slots of a shared log have entries.
package struct SharedLogHead: Sendable, Hashable {
    /// The slot of the oldest entry; ``next`` if there is none.
    package var first: LogSlot
    /// The slot of the next entry.
    package var next: LogSlot

    package init(first: LogSlot, next: LogSlot) {
        self.first = first
        self.next = next
    }
}

/// A copy of the realm after all entries below a slot.
package struct SharedLogImage: Sendable, Hashable {
    /// The slot of the first entry after it.
    package var slot: LogSlot
    /// Of how many parts it consists.
    package var parts: Int
    package var bytes: Int

    package init(slot: LogSlot, parts: Int, bytes: Int) {
        self.slot = slot
        self.parts = parts
        self.bytes = bytes
    }
}

/// An error of a shared log.
package enum SharedLogError: Error, Sendable, Hashable {
    /// The engine cannot be reached, or does not answer. Nothing was written.
    case unavailable(String)
    /// The connection ended while the engine was about to write.
    case outcomeUnknown(String)
    /// The engine may lose what it has acknowledged, because of a setting.
    case unsafe(setting: String)
    /// The engine has refused the request, or its contents are not a log of this kind.
    case refused(String)
    /// The entry was removed; `first` is the oldest one left.
    case trimmed(first: LogSlot)
    /// The log was closed by this host.
    case closed
}
