/// The log of one realm on an engine that several hosts use and that keeps what it has
/// acknowledged: numbered slots, each of which is written once.
///
/// It knows bytes, not what they say. Calls block until the engine has answered, but for
/// ``watch(for:_:)``, ``wake()`` and ``stopWaiting()``, so that they do not belong on the
/// cooperative pool. They may come from several threads; ``append(_:at:behind:)`` comes from one at
/// a time.
package protocol SharedLog: AnyObject, Sendable {
    /// Writes `entry` into `slot`, when that is the first one without an entry, and acknowledges it
    /// once the engine keeps it whatever happens.
    ///
    /// False: another entry was first, or the slots below are not all filled, or the one before has
    /// another entry than `last` is of; nothing was written.
    ///
    /// - Parameter last: the hash of the entry before; nil for any. So an engine that has lost
    ///   entries and got others takes none from a host that continues those that were lost.
    /// - Throws: ``SharedLogError/unavailable(_:)``: nothing was written, nor will be.
    ///   ``SharedLogError/outcomeUnknown(_:)``: it may have been written, or be so later on; the
    ///   same bytes in the same slot may be appended again.
    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool

    /// The entries from `slot` on, in the order of their slots and without a gap: as many as fit
    /// into `bytesMax`, and at least one where there is one.
    ///
    /// That an entry is read does not prove that the engine keeps it: see ``barrier()``.
    ///
    /// - Throws: ``SharedLogError/trimmed(first:)`` when the entry of `slot` was removed.
    func entries(from slot: LogSlot, bytesMax: Int) throws(SharedLogError) -> [SharedLogEntry]

    /// As ``entries(from:bytesMax:)``, of each the first `prefix` bytes: some entries at a time,
    /// and at least one where there is one. An engine need not read the rest.
    func entries(from slot: LogSlot, prefix: Int) throws(SharedLogError) -> [SharedLogEntry]

    /// Which slots have entries, as of a moment after the call began.
    func head() throws(SharedLogError) -> SharedLogHead

    /// Returns when everything that was read before is kept whatever happens.
    func barrier() throws(SharedLogError)

    /// Calls `noticed` once, on any thread and perhaps at once: when there may be an entry in
    /// `slot`, hosts have sent something, which it is given, or the engine does not answer. It must
    /// not wait for anything.
    ///
    /// One watch at a time: a second one takes the place of the first, which is forgotten. What
    /// hosts have sent may be lost; an entry is noticed in the end.
    func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher)

    /// Has the watcher called, or the next one, though nothing has come.
    func wake()

    /// Sends a few bytes to the hosts that watch, this one among them perhaps. They may be lost.
    func send(_ message: [UInt8]) throws(SharedLogError)

    // MARK: Images

    /// The images that are complete, the newest first.
    func images() throws(SharedLogError) -> [SharedLogImage]

    /// Adds an image, which counts once all of its parts are there. `part` is asked for one part
    /// after the other until it has none. When there is one of that slot already, that stays.
    func addImage(
        _ image: SharedLogImage, part: () throws -> [UInt8]?
    ) throws

    /// Part of an image by number, from 0 on.
    ///
    /// - Throws: ``SharedLogError/trimmed(first:)`` when the image was removed.
    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8]

    /// Removes the entries below `slot`, and the images below that of `image`, nil for none.
    func trim(below slot: LogSlot, imagesBelow image: LogSlot?) throws(SharedLogError)

    /// Has calls that do not reach the engine throw ``SharedLogError/unavailable(_:)`` soon. What
    /// the engine was asked is waited for as before.
    func stopWaiting()

    /// Ends what goes on; further calls throw.
    func close()
}

/// Receives what hosts have sent, or why a log cannot be watched.
package typealias SharedLogWatcher = @Sendable (Result<[[UInt8]], SharedLogError>) -> Void

/// A watcher that is to be called, outside all locks.
struct SharedLogNotice: Sendable {
    private let watcher: SharedLogWatcher
    private let news: Result<[[UInt8]], SharedLogError>

    init(_ watcher: @escaping SharedLogWatcher, _ news: Result<[[UInt8]], SharedLogError>) {
        self.watcher = watcher
        self.news = news
    }

    func tell() { watcher(news) }
}

extension SharedLog {
    /// Writes `entry` into `slot`, whatever the entry before is.
    package func append(_ entry: [UInt8], at slot: LogSlot) throws(SharedLogError) -> Bool {
        try append(entry, at: slot, behind: nil)
    }

    /// Where the engine is reached at once or not.
    package func stopWaiting() {}

    /// Where all that is read is in memory anyway.
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
    /// The oldest entry that is kept; that of ``next`` when there is none.
    package var first: LogSlot
    /// Where the next entry belongs.
    package var next: LogSlot

    package init(first: LogSlot, next: LogSlot) {
        self.first = first
        self.next = next
    }
}

/// A copy of the realm as all the entries below a slot have made it.
package struct SharedLogImage: Sendable, Hashable {
    /// Where the entries go on behind it.
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

/// What a shared log has answered.
package enum SharedLogError: Error, Sendable, Hashable {
    /// The engine cannot be reached, or does not answer. Nothing was written.
    case unavailable(String)
    /// The connection ended while the engine was about to write.
    case outcomeUnknown(String)
    /// The engine may lose what it has acknowledged, because of a setting.
    case unsafe(setting: String)
    /// The engine does not permit it, or what is there is not a log of this kind.
    case refused(String)
    /// The entry was removed; the oldest one that is left.
    case trimmed(first: LogSlot)
    /// This end was closed.
    case closed
}
