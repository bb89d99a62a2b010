import Dispatch
import Storage
import Synchronization

/// Two threads at one log: one commits, the other writes checkpoints or has everything synced, and
/// at a random moment a sync fails, which the disk tells once. Whatever the order in which their
/// syncs come, what was acknowledged is there after the power fails.
///
/// The syncs of the two meet: who is first waits a moment for the other.
package struct SyncRace: Sendable {
    private static let directory = "race.realm"
    private static let commitsMax = 24

    package init() {}

    /// Returns how many commits were acknowledged.
    package func run(seed: UInt64) throws -> Int {
        let disk = SimulatedDisk()
        let meeting = Meeting(seed: seed, disk)
        let store = try Store(disk)
        let first = store.engine.latest.version
        disk.observe { call in
            guard call.moment == .before, call.operation == .sync, call.path.hasSuffix(".log")
            else { return }
            meeting.arrive()
        }
        store.race(seed: seed)
        disk.observe(nil)
        let acknowledged = store.engine.latest.version
        let rows = Self.rows(of: store.engine.latest.view)
        for policy in CrashPolicy.allCases {
            let image = disk.crashImage(seed: seed, policy)
            try check(image, rows: rows, first, acknowledged, "\(policy)")
        }
        return Int(acknowledged.rawValue - first.rawValue)
    }

    private func check(
        _ image: SimulatedDisk, rows: Int, _ first: Version, _ acknowledged: Version,
        _ policy: String
    ) throws {
        let store = try Store(image)
        let found = store.engine.latest
        guard found.version >= acknowledged else {
            throw Violation(
                "\(policy): version \(acknowledged) was acknowledged and is gone, there is"
                    + " \(found.version)")
        }
        let count = Self.rows(of: found.view)
        let wanted = Int(found.version.rawValue - first.rawValue)
        guard count == wanted, count >= rows else {
            throw Violation("\(policy): version \(found.version) has \(count) rows, not \(wanted)")
        }
        guard store.commit() else { throw Violation("\(policy): the store takes no commit") }
    }

    private static func rows(of view: TreeView) -> Int { view.classView(HarnessSchema.item).count }

    /// A store whose commits are written where they are made.
    private struct Store: Sendable {
        let engine: TransactionEngine
        let log: Log

        init(_ disk: SimulatedDisk) throws {
            var opening = StoreOpening(fileSystem: disk, directory: SyncRace.directory)
            opening.options = CrashStore.smallSegments
            let opened = try opening.open(account: NodeAccount()) { stored in
                stored.classes.isEmpty ? HarnessSchema.schema(width: 1) : stored
            }
            log = opened.log
            engine = TransactionEngine(opened)
        }

        /// Commits a row; false when that is not acknowledged.
        func commit() -> Bool {
            do throws(StorageError) {
                try engine.beginBody()
                let key = engine.tree.createRow(HarnessSchema.item)
                let number = StoredValue.int(Int64(key.rawValue))
                let column = ColumnID(HarnessSchema.Column.number)
                engine.tree.set(number, HarnessSchema.item, key, column)
                let version = try engine.encodeCommit(author: nil, time: 0)
                engine.endBody(version, waiter: .nobody)
                return engine.latest.version == version
            } catch {
                return false
            }
        }

        /// Commits on one thread and syncs on another, until enough is done or the disk fails.
        func race(seed: UInt64) {
            let flag = Flag()
            let ended = DispatchSemaphore(value: 0)
            let store = self
            Platform.runOnThread {
                var random = SeededGenerator(seed: ~seed)
                while !flag.isSet {
                    do throws(StorageError) {
                        if random.oneIn(2) {
                            try store.engine.checkpoint()
                        } else {
                            try store.log.sync()
                        }
                    } catch {
                        break
                    }
                    Platform.yieldProcessor()
                }
                ended.signal()
            }
            for _ in 0..<SyncRace.commitsMax { guard commit() else { break } }
            flag.set()
            ended.wait()
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Where the syncs of two threads meet. Nobody waits long: a store that lets one thread sync at
    /// a time never brings two here.
    private final class Meeting: Sendable {
        private struct State {
            var random: SeededGenerator
            var isAwaited = false
            var hasFailed = false
        }

        private static let patience = DispatchTimeInterval.milliseconds(1)

        private let state: Mutex<State>
        private let other = DispatchSemaphore(value: 0)
        private let disk: SimulatedDisk

        init(seed: UInt64, _ disk: SimulatedDisk) {
            state = Mutex(State(random: SeededGenerator(seed: seed)))
            self.disk = disk
        }

        func arrive() {
            let isSecond = state.withLock { state in
                if !state.hasFailed, state.random.oneIn(16) {
                    state.hasFailed = true
                    disk.failNextSync(of: ".log")
                }
                state.isAwaited.toggle()
                return !state.isAwaited
            }
            if isSecond {
                other.signal()
            } else if other.wait(timeout: .now() + Self.patience) == .timedOut {
                let isStillAlone = state.withLock { state in
                    defer { state.isAwaited = false }
                    return state.isAwaited
                }
                // Who came at the last moment has signalled, or is about to.
                if !isStillAlone { other.wait() }
            }
        }
    }
}
