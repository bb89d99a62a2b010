import Dispatch
package import Storage
import Synchronization

/// A store under test, driven as the writer drives it, with the model of what it must hold.
/// Appending happens in place and nothing in the background, so that every run of a seed is the
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

    package let files: any FileSystem
    private let company: CompanyFiles?
    private var companyFailure: (any Error)?
    package private(set) var options: LogOptions
    package private(set) var oracle: Oracle
    package private(set) var workload: Workload
    /// Transactions that a full disk refused.
    package private(set) var refusals = 0
    private let tuning: StoreTuning
    private let acknowledgesEarly: Bool
    private let onPublish: @Sendable () -> Void
    private var model = StoreModel()
    private var pins: [(root: SnapshotRoot, model: StoreModel)] = []
    private var engine: TransactionEngine?
    private var log: Log?
    private var account: NodeAccount?

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
        company = tuning.hasCompany ? CompanyFiles(files) : nil
        self.files = company ?? files
        var options = options
        tuning.apply(to: &options)
        self.options = options
        self.oracle = oracle
        self.acknowledgesEarly = acknowledgesEarly
        self.onPublish = onPublish
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
        log = opened.log
        self.account = account
        // What is automatic about it here is the checkpoint at the close.
        let policy = workload.random.oneIn(2) ? CheckpointSchedule.Policy.automatic : .manual
        engine = TransactionEngine(
            opened, policy: policy,
            publish: { [onPublish] _, makeLatest in
                onPublish()
                makeLatest()
            })
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
    package func close() throws {
        guard let engine else { return }
        pins = []
        self.engine = nil
        log = nil
        let result = Mutex<Result<Void, StorageError>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        engine.close { outcome in
            result.withLock { $0 = outcome }
            ended.signal()
        }
        ended.wait()
        try result.withLock { $0 }?.get()
    }

    /// Lets go without closing: the process dies.
    package func abandon() {
        pins = []
        engine = nil
        log = nil
    }

    // MARK: Steps

    package func run(_ step: Step) throws {
        switch step {
        case .transaction: try commit(1)
        case .group: try commit(2 + workload.random.next(below: 3))
        case .undo: try undo()
        case .pin: try pin()
        case .unpin: try unpin()
        case .sync:
            try log?.sync()
            if let engine { oracle.acknowledge(engine.latest.version) }
        case .checkpoint: try refusing { try withCompany { try running().checkpoint() } }
        case .compact: try refusing { try withCompany { try compact(running()) } }
        case .verify: try verify()
        case .reopen:
            try close()
            try open()
        case .migrate:
            guard model.width < HarnessSchema.widthMax else { return }
            try close()
            oracle.submit(oracle.submitted.next, model.widened)
            try open(widening: true)
        case .rekey: try rekey()
        }
    }

    private func rekey() throws {
        guard let key = options.encryptionKey?.other else { return }
        try refusing {
            try running().rekey(to: key)
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

    private func running() throws -> TransactionEngine {
        guard let engine else { throw StorageError.closed(path: Self.directory) }
        return engine
    }

    private func commit(_ count: Int) throws {
        let engine = try running()
        try engine.beginBody()
        var edited = model
        var last: Version?
        for _ in 0..<count {
            workload.edit(engine.tree, &edited)
            guard let version = try engine.encodeCommit(author: nil, time: 0) else { continue }
            oracle.submit(version, edited)
            last = version
        }
        engine.endBody(last, waiter: .nobody)
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
    private func refusing(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch StorageError.outOfSpace {
            refusals += 1
        }
        try checkLatest()
    }

    /// Runs work that writes to the page files, and amid it a transaction, where there is company.
    private func withCompany(_ work: () throws -> Void) throws {
        guard let company else { return try work() }
        companyFailure = nil
        // Safe: run by this thread, before this call has returned.
        nonisolated(unsafe) let store = self
        company.arm(after: workload.random.next(below: 6)) {
            do { try store.commit(1) } catch { store.companyFailure = error }
        }
        defer { company.disarm() }
        let result = Result { try work() }
        if let companyFailure { throw companyFailure }
        try result.get()
    }

    private func compact(_ engine: TransactionEngine) throws {
        var compaction = Compaction(isFull: workload.random.oneIn(2))
        while compaction.step != nil { try engine.perform(&compaction) }
    }

    private func verify() throws {
        let outcome = try running().verify(ReadingMonitor())
        guard let problem = outcome.problems.first else { return }
        if let failure = account?.failure { throw failure }
        throw Violation("verification of \(outcome.version) finds \(problem)")
    }

    private func undo() throws {
        let engine = try running()
        try engine.beginBody()
        var edited = model
        workload.edit(engine.tree, &edited)
        engine.rollBack()
        engine.endBody(nil, waiter: .nobody)
        try compare(model, engine.tree.view, "after undoing")
    }

    private func pin() throws {
        let engine = try running()
        pins.append((engine.latest, model))
    }

    private func unpin() throws {
        for (root, model) in pins {
            try compare(model, root.view, "pinned version \(root.version)")
        }
        if !pins.isEmpty { pins.remove(at: workload.random.next(below: pins.count)) }
    }

    /// What readers see is what was published last, also after a failure.
    package func checkLatest() throws {
        guard let engine else { return }
        let latest = engine.latest
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
        try account?.judging {
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
