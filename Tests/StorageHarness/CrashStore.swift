package import Storage

/// An open store under test, driven as its users drive it, with the model of what it must hold.
/// Appending happens in place and nothing goes on by itself, so that every run of a seed is the
/// same.
package final class CrashStore {
    /// What a run does, one after another.
    package enum Step: Hashable, Sendable, CaseIterable {
        /// A transaction of its own.
        case transaction
        /// Several that become durable together.
        case group
        /// A transaction that is taken back.
        case undo
        /// Keeps the present version, to compare it later.
        case pin
        /// Compares every version that is kept, and gives one up.
        case unpin
        /// Asks for everything to be durable, which only relaxed stores need.
        case sync
        /// Writes the tree to the page files, and forgets the log before it.
        case checkpoint
        /// Empties page segments that hold unused bytes.
        case compact
        /// Checks every node and frame.
        case verify
        /// Closes and opens again.
        case reopen
        /// The same, with a column more.
        case migrate
        /// Gets another key, if the store has one.
        case rekey
    }

    private let files: MortalFiles
    private let interleaving: InterleavingFiles?
    private var interleavedFailure: (any Error)?
    package private(set) var options: LogOptions
    package private(set) var oracle: Oracle
    package private(set) var workload: Workload
    /// Transactions that a full disk refused.
    package private(set) var refusals = 0
    private let tuning: StoreTuning
    private let acknowledgesEarly: Bool
    private let observer: HarnessCommitObserver
    private var model = StoreModel()
    private var pins: [(root: SnapshotRoot, model: StoreModel)] = []
    private var store: OpenStore?

    package static let directory = "store.realm"

    /// Small segments, so that short runs cross many boundaries.
    package static var smallSegments: LogOptions {
        var options = LogOptions()
        options.segmentSizeMin = 2048
        options.segmentSizeMax = 8192
        options.preparesInBackground = false
        return options
    }

    /// Nothing is opened yet. Without `tuning` the seed chooses one. `acknowledgesEarly` makes a
    /// relaxed store promise what it cannot keep: a canary.
    package init(
        _ files: any FileSystem, oracle: Oracle = Oracle(), seed: UInt64,
        options: LogOptions = CrashStore.smallSegments, tuning: StoreTuning? = nil,
        acknowledgesEarly: Bool = false, onPublish: @escaping @Sendable () -> Void = {}
    ) {
        let tuning = tuning ?? .kind(seed)
        self.tuning = tuning
        interleaving = tuning.commitsAmidCheckpoints ? InterleavingFiles(files) : nil
        self.files = MortalFiles(interleaving ?? files)
        var options = options
        tuning.apply(to: &options)
        self.options = options
        self.oracle = oracle
        self.acknowledgesEarly = acknowledgesEarly
        observer = HarnessCommitObserver(onPublish: onPublish)
        workload = Workload(seed: seed)
    }

    // MARK: Opening and closing

    /// Opens for writing, and checks what is found.
    package func open(widening: Bool = false) throws {
        var opening = StoreOpening(fileSystem: files, directory: Self.directory)
        opening.options = options
        let wanted = model.width + 1
        let account = NodeAccount()
        account.memoryBudget = tuning.memoryBudget
        let opened = try opening.openWithEitherKey(account: account) { stored in
            if stored.classes.isEmpty { return HarnessSchema.schema(width: 1) }
            return widening ? HarnessSchema.schema(width: wanted) : stored
        }
        options.encryptionKey = opening.options.encryptionKey
        try withExtendedLifetime(opened) {
            try account.judging { try oracle.check(opened.tree.view, opened.version) }
        }
        // Of a relaxed store, the commit that brings a schema is as lazy as any other.
        if options.durability == .written { try opened.log.sync() }
        oracle.settle(on: opened.version)
        model = oracle.state(opened.version) ?? StoreModel()
        // What is automatic about it here is the checkpoint at the close.
        let policy = workload.random.oneIn(2) ? CheckpointSchedule.Policy.automatic : .manual
        let replayed = ReplayedStore(
            opened, options, account, policy: policy, waitsForDisk: false)
        store = OpenStore(replayed, OpenStore.Options(hasFiles: true), observer: observer)
    }

    /// Opens without writing, and checks what is found. Nil when the store was not even made.
    package static func inspect(
        _ files: any FileSystem, _ oracle: Oracle, options: LogOptions = smallSegments
    ) throws -> Version? {
        var opening = StoreOpening(fileSystem: files, directory: directory)
        opening.options = options
        opening.options.readOnly = true
        do {
            let account = NodeAccount()
            let opened = try opening.openWithEitherKey(account: account) { $0 }
            // The view borrows from the tree.
            try withExtendedLifetime(opened) {
                try account.judging { try oracle.check(opened.tree.view, opened.version) }
            }
            return opened.version
        } catch StorageError.fileNotFound where oracle.acknowledged == .zero {
            return nil
        }
    }

    /// Closes as a program does that ends as it should.
    package func close() async throws {
        guard let store else { return }
        pins = []
        self.store = nil
        try await store.close()
    }

    /// The process crashes: nothing that it does from here on comes to the disk.
    package func abandon() async {
        files.kill()
        try? await close()
    }

    // MARK: Steps

    package func run(_ step: Step) async throws {
        switch step {
        case .transaction: try await commit(1)
        case .group: try await commit(2 + workload.random.next(below: 3))
        case .undo: try await undo()
        case .pin: try pin()
        case .unpin: try unpin()
        case .sync:
            let engine = try running().engine
            try await withCheckedThrowingContinuation { continuation in
                engine.sync { continuation.resume(with: $0) }
            }
            oracle.acknowledge(engine.latest.version)
        case .checkpoint:
            try await refusing {
                try await interleavingCommit { try running().engine.checkpoint() }
            }
        case .compact:
            let isFull = workload.random.oneIn(2)
            try await refusing {
                try await interleavingCommit { try await running().compact(isFull: isFull) }
            }
        case .verify: try verify()
        case .reopen:
            try await close()
            try open()
        case .migrate:
            guard model.width < HarnessSchema.widthMax else { return }
            try await close()
            oracle.submit(oracle.submitted.next, model.widened)
            try open(widening: true)
        case .rekey: try await rekey()
        }
    }

    private func rekey() async throws {
        guard let key = options.encryptionKey?.other else { return }
        try await refusing {
            try running().engine.rekey(to: key)
            options.encryptionKey = key
        }
    }

    /// A random step, transactions more often than others.
    package func anyStep() -> Step {
        // Without a key there is none to change, and seeds mean what they did before there were.
        let steps = Step.allCases.filter { $0 != .rekey || options.encryptionKey != nil }
        let choice = workload.random.next(below: 2 * steps.count)
        return choice < steps.count
            ? steps[choice] : choice.isMultiple(of: 3) ? .group : .transaction
    }

    private func running() throws -> OpenStore {
        guard let store else { throw StorageError.closed(path: Self.directory) }
        return store
    }

    /// The turn to write, with a wait where it is not free.
    private func takeTurn(of store: OpenStore) async throws -> TransactionEngine {
        if let engine = try store.tryTakeTurn("a write", author: nil) { return engine }
        return try await store.takeTurn("a write", author: nil)
    }

    private func commit(_ count: Int) async throws {
        let store = try running()
        let engine = try await takeTurn(of: store)
        try commit(count, in: store, engine)
    }

    /// Commits, with the turn to write.
    private func commit(
        _ count: Int, in store: OpenStore, _ engine: TransactionEngine
    ) throws {
        var edited = model
        var last: Version?
        do {
            try engine.beginBody()
            for _ in 0..<count {
                var next = edited
                workload.edit(engine.tree, &next)
                do {
                    if let version = try engine.encodeCommit(author: nil, time: 0) {
                        oracle.submit(version, next)
                        last = version
                    }
                } catch StorageError.outOfSpace {
                    // It has filled more than there is space for, and was taken back; those before
                    // it stand.
                    refusals += 1
                    break
                }
                edited = next
            }
        } catch {
            store.releaseTurn()
            throw error
        }
        engine.endBody(last, waiter: .nobody) { store.releaseTurn() }
        let latest = engine.latest.version
        guard let last else { return }
        if latest >= last {
            if options.durability == .fsync || acknowledgesEarly { oracle.acknowledge(last) }
            model = edited
        } else if let failure = engine.failure {
            throw failure
        } else {
            refusals += 1
            oracle.withdraw(after: latest)
        }
        try checkLatest()
    }

    /// Runs what a full disk may refuse without harm.
    private func refusing(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch StorageError.outOfSpace {
            refusals += 1
        }
        try checkLatest()
    }

    /// Runs work that writes to the page files, and a transaction amid it where the tuning says so.
    private func interleavingCommit(_ work: () async throws -> Void) async throws {
        guard let interleaving else { return try await work() }
        interleavedFailure = nil
        // Safe: run amid the work, for which this store waits and does nothing else.
        nonisolated(unsafe) let store = self
        interleaving.arm(after: workload.random.next(below: 6)) { store.commitAmidWork() }
        defer { interleaving.disarm() }
        let result: Result<Void, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        if let interleavedFailure { throw interleavedFailure }
        try result.get()
    }

    /// Commits, unless the work has the turn.
    private func commitAmidWork() {
        do {
            let store = try running()
            guard let engine = try store.tryTakeTurn("a write", author: nil) else { return }
            try commit(1, in: store, engine)
        } catch {
            interleavedFailure = error
        }
    }

    private func verify() throws {
        let store = try running()
        let outcome = try store.engine.verify(ReadingMonitor())
        guard let problem = outcome.problems.first else { return }
        if let failure = store.account.failure { throw failure }
        throw Violation("verification of \(outcome.version) finds \(problem)")
    }

    private func undo() async throws {
        let store = try running()
        let engine = try await takeTurn(of: store)
        defer { store.releaseTurn() }
        try engine.beginBody()
        var edited = model
        workload.edit(engine.tree, &edited)
        engine.rollBack()
        engine.endBody(nil, waiter: .nobody)
        try compare(model, engine.tree.view, "after undoing")
    }

    private func pin() throws { pins.append((try running().engine.latest, model)) }

    private func unpin() throws {
        for (root, model) in pins {
            try compare(model, root.view, "pinned version \(root.version)")
        }
        if !pins.isEmpty { pins.remove(at: workload.random.next(below: pins.count)) }
    }

    /// What readers see is what was published last, also after a failure.
    package func checkLatest() throws {
        guard let latest = store?.engine.latest else { return }
        try withExtendedLifetime(latest) {
            try compare(model, latest.view, "published version \(latest.version)")
        }
    }

    /// The same when the disk has failed: a node that was never read cannot be read from it, which
    /// the store says.
    package func checkLatestAfterFailure() throws {
        do {
            try checkLatest()
        } catch let error as StorageError where error.isDiskFailure {}
    }

    private func compare(_ model: StoreModel, _ view: TreeView, _ place: String) throws {
        try store?.account.judging {
            if let problem = model.problem(in: view) { throw Violation("\(place): \(problem)") }
        }
    }
}

extension NodeAccount {
    /// Runs a comparison. One that fails because a node could not be read fails for this reason:
    /// the store has noticed.
    fileprivate func judging(_ compare: () throws -> Void) throws {
        do {
            try compare()
        } catch let violation as Violation {
            if let failure { throw failure }
            throw violation
        }
    }
}
