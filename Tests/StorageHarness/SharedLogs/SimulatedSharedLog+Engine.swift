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
            var imagesRead = 0
        }

        /// What it keeps, for handles without faults.
        package let memory = MemorySharedLog.Engine()
        /// Whether a wait takes its time; else it returns at once, as is best where one thread
        /// plays all hosts.
        let waits: Bool
        private let state: Mutex<State>
        /// How the engine gets at its own entries.
        private let own: MemorySharedLog

        package init(seed: UInt64, _ faults: Faults = Faults(), waits: Bool = true) {
            self.waits = waits
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

        /// Loses what was never acknowledged, nor covered by a barrier or a later acknowledgement:
        /// entries that hosts may have read. So does an engine that waits for its standbys, when it
        /// is killed in between. Requests on their way are lost as well.
        package func crash() {
            let kept = state.withLock { state in
                state.late = []
                return state.kept
            }
            memory.loseEntries(from: kept)
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

        /// How often the last part of an image was read.
        package var imagesRead: Int { state.withLock { $0.imagesRead } }

        func noteImageRead() { state.withLock { $0.imagesRead += 1 } }

        /// How many entries a stale read misses.
        func staleness() -> Int { state.withLock { 1 + $0.random.next(below: 3) } }

        func delay(_ request: Request) { state.withLock { $0.late.append(request) } }

        /// Some of the requests on their way arrive, in any order.
        func deliverLateRequests() {
            let due = state.withLock { state in
                var due: [Request] = []
                for index in state.late.indices.reversed() where state.random.oneIn(3) {
                    due.append(state.late.remove(at: index))
                }
                return due
            }
            for request in due { append(request) }
        }

        private func append(_ request: Request) {
            _ = try? own.append(request.entry, at: request.slot, behind: request.last)
        }

        /// The entries up to `slot` are kept from now on.
        func keep(through slot: LogSlot) {
            state.withLock { $0.kept = max($0.kept, slot.next) }
        }
    }
}
