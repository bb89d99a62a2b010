import Synchronization

/// The parts of an image behind the header, one after the other. Each is read by another thread
/// while the one before is taken in. By one thread at a time.
final class SharedImageParts {
    typealias Read = @Sendable (Int, Demand) throws(StorageError) -> SharedImagePart

    /// Whether parts are wanted. Once they are not, who reads one does not ask again an engine that
    /// is out of reach.
    final class Demand: Sendable {
        private let isOver = Atomic<Bool>(false)

        var goesOn: Bool { !isOver.load(ordering: .relaxed) }

        fileprivate func end() { isOver.store(true, ordering: .relaxed) }
    }

    /// A part that is on its way.
    private final class Arrival: Sendable {
        private let part = Mutex<Result<SharedImagePart, StorageError>?>(nil)
        private let isThere = ThreadSemaphore()

        func come(_ found: Result<SharedImagePart, StorageError>) {
            part.withLock { $0 = found }
            isThere.signal()
        }

        /// Waits for it. Once: it is given away.
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
    private let demand = Demand()
    private let thread: SerialThread?
    private var number = 1
    private var next: Arrival?

    /// - Parameter isAhead: whether there is another thread.
    init(_ count: Int, isAhead: Bool, read: @escaping Read) {
        self.count = count
        self.read = read
        thread = isAhead ? SerialThread(name: "RealmActors image") : nil
    }

    /// The contents of the next part; nil behind the last one.
    func takeNext() throws(StorageError) -> [UInt8]? {
        guard number < count else { return nil }
        let part: SharedImagePart
        if let next { part = try next.take() } else { part = try read(number, demand) }
        number += 1
        next = number < count ? beginReading(number) : nil
        return part.contents
    }

    private func beginReading(_ number: Int) -> Arrival? {
        guard let thread else { return nil }
        let arrival = Arrival()
        let isBegun = thread.run { [read, demand] in
            arrival.come(Result { () throws(StorageError) in try read(number, demand) })
        }
        return isBegun ? arrival : nil
    }

    /// Waits for the part that is still on its way, so that nothing is read any more.
    func end() {
        demand.end()
        thread?.stopAndWait()
    }
}
