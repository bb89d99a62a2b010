package import Storage

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
        /// Closes and opens again.
        case reopen
        /// The same, with a column more.
        case migrate
    }

    package let files: any FileSystem
    package let options: LogOptions
    package private(set) var oracle: Oracle
    package private(set) var workload: Workload
    /// Transactions that a full disk refused.
    package private(set) var refusals = 0
    private let acknowledgesEarly: Bool
    private let onPublish: @Sendable () -> Void
    private var model = StoreModel()
    private var pins: [(root: SnapshotRoot, model: StoreModel)] = []
    private var engine: TransactionEngine?
    private var log: Log?

    package static let directory = "store.realm"

    /// Small segments, so that short runs cross many boundaries.
    package static var smallSegments: LogOptions {
        var options = LogOptions()
        options.segmentSizeMin = 2048
        options.segmentSizeMax = 8192
        options.preparesInBackground = false
        return options
    }

    /// Nothing is opened yet. `acknowledgesEarly` makes a relaxed store promise what it cannot
    /// keep: a canary.
    package init(
        _ files: any FileSystem, oracle: Oracle = Oracle(), seed: UInt64,
        options: LogOptions = CrashStore.smallSegments,
        acknowledgesEarly: Bool = false, onPublish: @escaping @Sendable () -> Void = {}
    ) {
        self.files = files
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
        let opened = try opening.open(account: NodeAccount()) { stored in
            if stored.classes.isEmpty { return HarnessSchema.schema(width: 1) }
            return widening ? HarnessSchema.schema(width: wanted) : stored
        }
        try oracle.check(opened.tree.view, opened.version)
        // Of a relaxed store, the commit that brings a schema is as lazy as any other.
        if options.durability == .written { try opened.log.sync() }
        oracle.settle(on: opened.version)
        model = oracle.state(opened.version) ?? StoreModel()
        log = opened.log
        engine = TransactionEngine(
            tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: true,
            publish: { [onPublish] _, makeLatest in
                onPublish()
                makeLatest()
            })
    }

    /// Opens without writing, and checks what is found. Nil when the store was not even made.
    package static func inspect(_ files: any FileSystem, _ oracle: Oracle) throws -> Version? {
        var opening = StoreOpening(fileSystem: files, directory: directory)
        opening.options = smallSegments
        opening.options.readOnly = true
        do {
            let opened = try opening.open(account: NodeAccount()) { $0 }
            try oracle.check(opened.tree.view, opened.version)
            return opened.version
        } catch StorageError.fileNotFound where oracle.acknowledged == .zero {
            return nil
        }
    }

    /// Closes as a program does that ends as it should.
    package func close() throws {
        guard let log else { return }
        pins = []
        engine = nil
        self.log = nil
        try log.close()
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
        case .reopen:
            try close()
            try open()
        case .migrate:
            guard model.width < HarnessSchema.widthMax else { return }
            try close()
            oracle.submit(oracle.submitted.next, model.widened)
            try open(widening: true)
        }
    }

    /// A random step, transactions more often than others.
    package func anyStep() -> Step {
        let steps = Step.allCases
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

    private func undo() throws {
        let engine = try running()
        try engine.beginBody()
        var edited = model
        workload.edit(engine.tree, &edited)
        engine.undo()
        engine.endBody(nil, waiter: .nobody)
        if let problem = model.problem(in: engine.tree.view) {
            throw Violation("after undoing: \(problem)")
        }
    }

    private func pin() throws {
        let engine = try running()
        pins.append((engine.latest, model))
    }

    private func unpin() throws {
        for (root, model) in pins {
            if let problem = model.problem(in: root.view) {
                throw Violation("pinned version \(root.version): \(problem)")
            }
        }
        if !pins.isEmpty { pins.remove(at: workload.random.next(below: pins.count)) }
    }

    /// What readers see is what was published last, also after a failure.
    package func checkLatest() throws {
        guard let engine else { return }
        if let problem = model.problem(in: engine.latest.view) {
            throw Violation("published version \(engine.latest.version): \(problem)")
        }
    }
}
