import Synchronization

/// The parts of an image after the header, in order. A background thread reads each part ahead
/// while the one before is processed. Used by one thread at a time.
final class SharedImageParts {
    /// Reads the part with a number. Once the monitor is cancelled, it does not retry.
    typealias Read = @Sendable (Int, ReadingMonitor) throws(StorageError) -> SharedImagePart

    /// A part that is being read.
    private final class Arrival: Sendable {
        private let part = Mutex<Result<SharedImagePart, StorageError>?>(nil)
        private let isThere = ThreadSemaphore()

        func fulfill(_ found: Result<SharedImagePart, StorageError>) {
            part.withLock { $0 = found }
            isThere.signal()
        }

        /// Waits for the part, and hands it over. To be called once.
        func take() throws(StorageError) -> SharedImagePart {
            isThere.wait()
            let found = part.withLock { part in
                defer { part = nil }
                return part
            }
            guard let found else { preconditionFailure("A part was taken twice") }
            return try found.get()
        }
    }

    private let count: Int
    private let read: Read
    private let monitor: ReadingMonitor
    private let thread: SerialThread?
    private var number = 1
    private var next: Arrival?

    /// - Parameter isAhead: whether parts are read ahead by a background thread.
    init(
        _ count: Int, isAhead: Bool, monitor: ReadingMonitor = ReadingMonitor(),
        read: @escaping Read
    ) {
        self.count = count
        self.monitor = monitor.child()
        self.read = read
        thread = isAhead ? SerialThread(name: "RealmActors image") : nil
    }

    /// The contents of the next part; nil after the last one.
    func takeNext() throws(StorageError) -> [UInt8]? {
        guard number < count else { return nil }
        let part: SharedImagePart
        if let next { part = try next.take() } else { part = try read(number, monitor) }
        number += 1
        next = number < count ? beginReading(number) : nil
        return part.contents
    }

    private func beginReading(_ number: Int) -> Arrival? {
        guard let thread else { return nil }
        let arrival = Arrival()
        let isBegun = thread.run { [read, monitor] in
            arrival.fulfill(Result { () throws(StorageError) in try read(number, monitor) })
        }
        return isBegun ? arrival : nil
    }

    /// Ends reading ahead: cancels it and waits for the part that is being read.
    func end() {
        monitor.cancel()
        thread?.stopAndWait()
    }
}
