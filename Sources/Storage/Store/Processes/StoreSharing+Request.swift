import Synchronization

extension StoreSharing {
    /// A request for the writer lease, which ends once.
    package final class Request: Sendable {
        package typealias Completion = @Sendable (Result<Void, StorageError>) -> Void

        private struct State {
            var completion: Completion?
            var isServed = false
        }

        private let state: Mutex<State>

        package init(_ completion: @escaping Completion) {
            state = Mutex(State(completion: completion))
        }

        /// Ends it with a result, unless it has ended.
        package func finish(_ result: Result<Void, StorageError>) {
            end(result) { _ in true }
        }

        /// Ends it, unless the lease is being taken for it: then that outcome ends it, and its
        /// owner keeps the write turn until then.
        package func abandon(_ error: StorageError) {
            end(.failure(error)) { !$0.isServed }
        }

        /// Begins to take the lease for it; false if it has ended.
        func serve() -> Bool {
            state.withLock { state in
                state.isServed = true
                return state.completion != nil
            }
        }

        private func end(_ result: Result<Void, StorageError>, if mayEnd: (State) -> Bool) {
            let completion = state.withLock { state -> Completion? in
                guard mayEnd(state) else { return nil }
                defer { state.completion = nil }
                return state.completion
            }
            completion?(result)
        }
    }
}
