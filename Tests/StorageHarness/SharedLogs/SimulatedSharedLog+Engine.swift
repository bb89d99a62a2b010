package import Storage
import Synchronization

extension SimulatedSharedLog {
    /// The engine that the hosts of a simulation share, and the network between.
    package final class Engine: Sendable {
        /// An append on its way.
        struct Request: Sendable {
            let entry: [UInt8]
            let slot: LogSlot
            let last: SharedEntryHash?
        }

        private struct State {
            var random: SeededGenerator
            var faults: Faults
            var late: [Request] = []
            /// The entries below are kept whatever happens.
            var kept = LogSlot.first
            var areStandbysAway = false
            /// How often all connections ended.
            var connections = 0
            /// What was trimmed.
            var archive: [[UInt8]] = []
            var imagesRead = 0
            /// What other hosts do while one reads.
            var interruption: ReadInterruption?
            var occurrences: [HostFault: Int] = [:]
        }

        /// What it keeps, for handles without faults.
        package let memory = MemorySharedLog.Engine()
        /// Whether a watch takes its time; else it ends at once, as is best where one thread plays
        /// all hosts.
        let waits: Bool
        let canary: HostCanary?
        private let state: Mutex<State>
        /// How the engine gets at its own entries.
        private let own: MemorySharedLog

        package init(
            seed: UInt64, _ faults: Faults = Faults(), waits: Bool = true,
            canary: HostCanary? = nil
        ) {
            self.waits = waits
            self.canary = canary
            state = Mutex(State(random: SeededGenerator(seed: seed), faults: faults))
            own = MemorySharedLog(memory)
        }

        /// What fails from now on.
        package var faults: Faults {
            get { state.withLock { $0.faults } }
            set { state.withLock { $0.faults = newValue } }
        }

        /// How many requests are on their way.
        package var lateRequests: Int { state.withLock { $0.late.count } }

        /// While they are away, appends wait for them, where nobody sees them.
        package var areStandbysAway: Bool {
            get { state.withLock { $0.areStandbysAway } }
            set { state.withLock { $0.areStandbysAway = newValue } }
        }

        /// The server is killed, and comes back: one request that waited for its standbys is there
        /// for everyone to read, and no standby has it.
        package func restart() { endConnections(deliveringOne: true) }

        /// A standby takes over: what none of them has is lost. That was never acknowledged, nor
        /// covered by a barrier or a later acknowledgement, and yet hosts may have read it.
        package func failOver() {
            let kept = endConnections(deliveringOne: false)
            memory.loseEntries(from: kept)
        }

        /// Requests on their way are lost. Returns what is kept.
        @discardableResult
        private func endConnections(deliveringOne: Bool) -> LogSlot {
            let (late, kept) = state.withLock { state in
                defer {
                    state.late = []
                    state.connections += 1
                    state.areStandbysAway = false
                }
                return (state.late.first, state.kept)
            }
            if deliveringOne, let late { deliver(late) }
            return kept
        }

        /// How often all connections ended.
        var connections: Int { state.withLock { $0.connections } }

        /// Every entry that there ever was, in the order of their slots.
        func entries() throws -> [[UInt8]] {
            let head = try own.head()
            let rest = try own.entries(from: head.first, bytesMax: .max)
            return state.withLock { $0.archive } + rest.map(\.bytes)
        }

        /// Takes note of entries that are about to be trimmed.
        func archive(below slot: LogSlot) throws(SharedLogError) {
            let entries = try own.entries(from: try own.head().first, bytesMax: .max)
            let trimmed = entries.prefix { $0.slot < slot }
            state.withLock { $0.archive += trimmed.map(\.bytes) }
        }

        /// Delivers all requests that are on their way, as they came.
        package func deliverAll() {
            let late = state.withLock { state in
                defer { state.late = [] }
                return state.late
            }
            for request in late { append(request) }
        }

        /// Whether a fault happens now.
        func happens(_ fault: KeyPath<Faults, Int?>) -> Bool {
            state.withLock { state in
                guard let count = state.faults[keyPath: fault] else { return false }
                return state.random.oneIn(count)
            }
        }

        /// What other hosts do while one reads; nil for nothing.
        var interruption: ReadInterruption? {
            get { state.withLock { $0.interruption } }
            set { state.withLock { $0.interruption = newValue } }
        }

        /// How often each of these faults has taken effect.
        package var occurrences: [HostFault: Int] { state.withLock { $0.occurrences } }

        func note(_ fault: HostFault) {
            state.withLock { $0.occurrences[fault, default: 0] += 1 }
        }

        /// How often the last part of an image was read.
        package var imagesRead: Int { state.withLock { $0.imagesRead } }

        func noteImageRead() { state.withLock { $0.imagesRead += 1 } }

        /// How many entries a stale read misses.
        func staleness() -> Int { state.withLock { 1 + $0.random.next(below: 3) } }

        func delay(_ request: Request) { state.withLock { $0.late.append(request) } }

        /// Some of the requests on their way arrive, in any order.
        func deliverLateRequests() {
            if areStandbysAway { return }
            let due = state.withLock { state in
                var due: [Request] = []
                for index in state.late.indices.reversed() where state.random.oneIn(3) {
                    due.append(state.late.remove(at: index))
                }
                return due
            }
            for request in due { append(request) }
        }

        /// What is there to be read before a standby lacks it is kept.
        private func append(_ request: Request) {
            if deliver(request) { keep(through: request.slot) }
        }

        @discardableResult
        private func deliver(_ request: Request) -> Bool {
            let isFirst = try? own.append(request.entry, at: request.slot, behind: request.last)
            return isFirst ?? false
        }

        /// The entries up to `slot` are kept from now on.
        func keep(through slot: LogSlot) {
            state.withLock { $0.kept = max($0.kept, slot.next) }
        }
    }
}
