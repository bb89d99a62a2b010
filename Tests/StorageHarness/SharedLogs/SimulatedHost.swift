import Storage

/// A host of a realm on a simulated shared log: a process with a disk of its own.
final class SimulatedHost {
    private static let directory = "host.realm"

    /// What a host has of the realm, as its readers see it.
    struct View: Hashable {
        let version: Version
        /// That of all rows.
        let hash: Int64
    }

    /// How often a body runs again.
    private static let repetitionsMax = 2

    private var disk = SimulatedDisk()
    let engine: SimulatedSharedLog.Engine
    private let memoryBudget: Int
    private var files: MortalFiles
    private(set) var log: SimulatedSharedLog
    private(set) var store: OpenStore?
    /// Who watches since the last opening.
    private(set) var stream = HostStream()
    /// How often it was opened.
    private(set) var openings = 0
    /// Whether its disk has a limit.
    private(set) var isDiskLimited = false

    init(_ engine: SimulatedSharedLog.Engine, memoryBudget: Int = .max) {
        self.engine = engine
        self.memoryBudget = memoryBudget
        files = MortalFiles(disk)
        log = SimulatedSharedLog(engine)
    }

    /// False when the engine cannot be reached for long enough, or the disk is full.
    func open() throws -> Bool {
        files = MortalFiles(disk)
        log = SimulatedSharedLog(engine)
        var options = CrashStore.smallSegments
        options.isCopyOfSharedLog()
        var opening = StoreOpening(fileSystem: files, directory: Self.directory)
        opening.options = options
        var realm = SharedRealm(log, key: nil, timeout: nil)
        realm.repetitions = 8
        realm.imageBytesMin = 1 << 10
        realm.imagePartBytes = 1 << 10
        opening.sharedRealm = realm
        let account = NodeAccount()
        account.memoryBudget = memoryBudget
        do {
            let opened = try opening.open(account: account) { stored in
                stored.classes.isEmpty ? HarnessSchema.schema(width: 1) : stored
            }
            let replayed = ReplayedStore(opened, options, account, waitsForDisk: false)
            let stream = HostStream(engine.canary)
            let store = OpenStore(
                replayed, OpenStore.Options(hasFiles: true), observer: stream)
            store.join(replayed)
            stream.begin(with: store.engine.latest)
            openings += 1
            self.stream = stream
            self.store = store
            return true
        } catch StorageError.sharedLogUnavailable {
            return false
        } catch StorageError.commitOutcomeUnknown {
            return false
        } catch StorageError.outOfSpace where isDiskLimited {
            engine.note(.fullDisk)
            return false
        }
    }

    func close() async throws {
        let closing = store
        store = nil
        try await closing?.close()
    }

    /// The process crashes, and with `policy` the machine stops.
    func crash(_ seed: UInt64, _ policy: CrashPolicy?) async {
        files.kill()
        try? await close()
        if let policy { disk.crash(seed: seed, policy) }
    }

    /// Nothing is left of its files.
    func loseFolder() {
        disk = SimulatedDisk()
        isDiskLimited = false
    }

    /// Gives its disk space for so many more bytes, and no more; nil for as many as it takes.
    func limitDisk(leaving bytes: Int?) {
        disk.limit(to: bytes.map { disk.usedBytes + $0 })
        isDiskLimited = bytes != nil
    }

    /// Whether the next commits become durable one by one: the disk was full, and each of them may
    /// be refused alone.
    var commitsSingly: Bool { store?.engine.isRefusing ?? false }

    /// Commits of which each makes a row that says which commit it is, and what its body saw; they
    /// become durable together. As in a program, bodies that came too late run again.
    ///
    /// Returns the versions.
    func commit(_ numbers: [Int64]) async throws -> [Version] {
        var repetitions = 0
        while true {
            do {
                return try await commitOnce(numbers)
            } catch let error as StorageError {
                guard repetitions < Self.repetitionsMax, runsAgain(after: error) else {
                    throw error
                }
                repetitions += 1
            }
        }
    }

    private func runsAgain(after error: StorageError) -> Bool {
        switch error {
        case .superseded: true
        case .commitOutcomeUnknown: engine.canary == .runsAgainInDoubt
        default: false
        }
    }

    private func commitOnce(_ numbers: [Int64]) async throws -> [Version] {
        try await withTurn { store, engine in
            var versions: [Version] = []
            for number in numbers {
                try engine.beginBody()
                Self.change(engine.tree, number)
                guard let version = try engine.encodeCommit(author: nil, time: 0) else {
                    throw Violation("commit \(number) changed nothing")
                }
                versions.append(version)
                if versions.count < numbers.count {
                    engine.endBody(version, waiter: .nobody, successors: .waiting)
                }
            }
            try await Self.end(versions.last, store, engine)
            return versions
        }
    }

    /// A transaction that makes a row and is taken back.
    func abandon() async throws {
        try await withTurn { store, engine in
            try engine.beginBody()
            _ = engine.tree.createRow(HarnessSchema.item)
            engine.rollBack()
            try await Self.end(nil, store, engine)
        }
    }

    private static func end(
        _ version: Version?, _ store: OpenStore, _ engine: TransactionEngine
    ) async throws {
        // Unsafe: the engine resumes the continuation exactly once.
        _ = try await withUnsafeThrowingContinuation { continuation in
            engine.endBody(version, waiter: .continuation(continuation))
        }
    }

    /// Calls `body` with the turn to write.
    private func withTurn<R>(
        _ body: (OpenStore, TransactionEngine) async throws -> R
    ) async throws -> R {
        guard let store else { throw StorageError.closed(path: "The store") }
        var taken = try store.tryTakeTurn("a write", author: nil)
        if taken == nil { taken = try await store.takeTurn("a write", author: nil) }
        guard let engine = taken else { throw StorageError.closed(path: "The store") }
        defer { store.releaseTurn() }
        return try await body(store, engine)
    }

    /// What a commit does: a row of its own, sometimes one that goes at once, sometimes another
    /// value in an older one, and sometimes the oldest one goes.
    private static func change(_ tree: WorkingTree, _ number: Int64) {
        typealias Column = HarnessSchema.Column
        let before = HostRows(tree.view)
        let key = tree.createRow(HarnessSchema.item)
        for (column, value) in [(Column.number, number), (Column.twin, before.hash)] {
            tree.set(.int(value), HarnessSchema.item, key, ColumnID(column))
        }
        // Its own transaction deletes it again: no record tells of it.
        if number.isMultiple(of: 5) {
            tree.delete(HarnessSchema.item, [tree.createRow(HarnessSchema.item)])
        }
        guard let oldest = before.rows.keys.min() else { return }
        if number.isMultiple(of: 3) {
            let score = StoredValue.double(Double(number))
            tree.set(score, HarnessSchema.item, oldest, ColumnID(Column.score))
        } else if number.isMultiple(of: 4), before.rows.count > 5 {
            tree.delete(HarnessSchema.item, [oldest])
        }
    }

    /// Reads everything that was committed before.
    func refresh() async throws { try await store?.refreshFromHosts() }

    /// Makes an image, if one is due, the engine can be reached, and the disk has space for it.
    func makeImage() throws { try imageMaking() }

    /// The same, to be called on any thread.
    var imageMaking: @Sendable () throws -> Void {
        { [store, engine, isDiskLimited] in
            do {
                try store?.makeImageIfDue()
            } catch StorageError.sharedLogUnavailable {
            } catch StorageError.outOfSpace where isDiskLimited {
                engine.note(.fullDisk)
            }
        }
    }

    /// Makes its process die in its next append to the shared log: from then on, neither its disk
    /// nor the engine notices what it does.
    func dieInAppend(_ moment: SimulatedSharedLog.AppendMoment) {
        log.dieInAppend(moment) { [files] in files.kill() }
    }

    /// As ``makeImage()``, and crashes at a part of it, or behind the last one.
    func makeImage(dyingAtPart part: Int) async {
        log.die(afterParts: part) { [files] in files.kill() }
        try? store?.makeImageIfDue()
        await crash(0, nil)
    }

    /// Writes a checkpoint, if the disk has space for it.
    func checkpoint() throws {
        try unlessFull { try store?.engine.checkpoint() }
    }

    /// Makes a call that a full disk may refuse, and only one with a limit.
    private func unlessFull(_ call: () throws -> Void) throws {
        do {
            try call()
        } catch StorageError.outOfSpace where isDiskLimited {
            engine.note(.fullDisk)
        }
    }

    /// What readers see by now.
    func view() -> View? {
        guard let latest = store?.engine.latest else { return nil }
        return withExtendedLifetime(latest) {
            View(version: latest.version, hash: HostRows(latest.view).hash)
        }
    }

    func verify() throws {
        guard let problem = try store?.engine.verify(ReadingMonitor()).problems.first
        else { return }
        throw Violation("verification finds \(problem)")
    }
}
