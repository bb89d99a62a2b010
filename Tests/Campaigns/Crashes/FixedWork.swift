import Storage
import StorageHarness
import Synchronization

/// Work that is identical in every run, call by call, and covers all operations of a store. There
/// are many of them, which differ in their seeds and in the options of the store.
struct FixedWork: Sendable {
    let seed: UInt64
    let tuning: StoreTuning
    /// The options of the log. If encryption is available, every other store is encrypted.
    let options: LogOptions

    init(_ number: Int) {
        seed = 20 + UInt64(number)
        tuning = StoreTuning.kinds[(number + 1) % StoreTuning.kinds.count]
        var options = CrashStore.smallSegments
        if EncryptionAlgorithm.isAvailable, number.isMultiple(of: 2) {
            options.encryptionKey = .first
        }
        self.options = options
    }

    private static let steps: [CrashStore.Step] = (0..<30).flatMap { number -> [CrashStore.Step] in
        let commit: CrashStore.Step = number % 5 == 4 ? .group : .transaction
        switch number {
        case 3, 17: return [commit, .pin]
        case 6, 22: return [commit, .undo]
        case 7, 20: return [commit, .rekey]
        case 9, 21, 29: return [commit, .checkpoint]
        case 12: return [commit, .migrate]
        case 15, 27: return [commit, .unpin]
        case 18, 28: return [commit, .compact]
        case 19: return [commit, .verify]
        case 25: return [commit, .reopen]
        default: return [commit]
        }
    }

    private func store(_ files: any FileSystem) -> CrashStore {
        CrashStore(files, seed: seed, options: options, tuning: tuning)
    }

    /// Runs all of it.
    private func run(_ store: CrashStore) async throws {
        try store.open()
        for step in Self.steps { try await store.run(step) }
        try await store.close()
    }

    /// Runs until the disk fails; published versions stay readable.
    func runToFailure(_ disk: SimulatedDisk) async throws -> CrashStore {
        let auditor = options.encryptionKey.map { _ in NonceAuditor() }
        let store = store(auditor?.watching(disk) ?? disk)
        do {
            try await run(store)
        } catch let error as StorageError where error.isDiskFailure {
            try store.checkLatestAfterFailure()
        }
        await store.abandon()
        if let problem = auditor?.problems.first { throw Violation(problem) }
        return store
    }

    /// The calls of a run without faults, in order.
    func calls() async throws -> [IOOperation] {
        let disk = SimulatedDisk()
        let calls = Mutex<[IOOperation]>([])
        disk.observe { call in
            if call.moment == .before { calls.withLock { $0.append(call.operation) } }
        }
        try await run(store(disk))
        disk.observe(nil)
        return calls.withLock { $0 }
    }
}

/// Places in fixed works where a fault may be injected: those of the first work, then those of the
/// next one, and so on. They are determined on demand.
actor WorkPlaces<Place: Sendable> {
    private let places: @Sendable ([IOOperation]) -> [Place]
    private var known: [[Place]] = []

    /// `places` gets the calls of a work.
    init(_ places: @escaping @Sendable ([IOOperation]) -> [Place]) {
        self.places = places
    }

    /// The number of places in the first `count` works.
    func count(works count: Int) async throws -> Int {
        var total = 0
        for work in 0..<count { total += try await places(ofWork: work).count }
        return total
    }

    /// The place with a number, and its work.
    func find(_ number: Int) async throws -> (work: FixedWork, place: Place) {
        var rest = number
        var work = 0
        while true {
            let found = try await places(ofWork: work)
            if rest < found.count { return (FixedWork(work), found[rest]) }
            rest -= found.count
            work += 1
        }
    }

    private func places(ofWork number: Int) async throws -> [Place] {
        while known.count <= number {
            let next = known.count
            let found = places(try await FixedWork(next).calls())
            // Another case may have determined them meanwhile.
            if known.count == next { known.append(found) }
        }
        return known[number]
    }
}
