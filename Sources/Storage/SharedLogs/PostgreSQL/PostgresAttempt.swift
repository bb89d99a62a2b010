// Safety: a connection of libpq is owned by its handle, which finishes it when it is deinitialized.

#if PostgreSQL
    import CPostgreSQL
    import Synchronization

    // Unchecked, and safe: the thread that creates it transfers it, and does not use it afterwards.
    /// A connection of libpq, established or failed.
    final class PostgresHandle: @unchecked Sendable {
        let pointer: OpaquePointer
        /// The index of its server in the address, if that lists several.
        let server: Int?

        init(owning pointer: OpaquePointer, to server: Int?) {
            self.pointer = pointer
            self.server = server
        }

        deinit { PQfinish(pointer) }
    }

    /// A connection attempt. It cannot be cancelled in libpq, where each server that does not
    /// answer may take seconds: separate threads connect, and close their connections if the log
    /// does not wait any more.
    ///
    /// Of several servers, the one that was the primary last is tried first. Another one is tried
    /// as well once those before have failed or have not answered for a moment: after a failover,
    /// the former primary may drop all packets.
    final class PostgresAttempt: Sendable {
        private struct State {
            /// The number of threads that connect.
            var pending = 0
            var made: PostgresHandle?
            var failures: [String] = []
            /// Whether the caller does not wait any more.
            var isOver = false
        }

        /// How long a server is waited for before another one is tried as well.
        private static let nextServerInterval = Duration.milliseconds(200)
        /// How long a log waits that limits attempts.
        private static let limitedInterval = Duration.seconds(1)

        private let address: PostgresAddress
        private let waking: WakePipe
        private let state = Mutex(State())

        private init(_ address: PostgresAddress, _ waking: WakePipe) {
            self.address = address
            self.waking = waking
        }

        /// Connects.
        ///
        /// - Parameters:
        ///   - address: the address of the servers.
        ///   - servers: those that are tried, in this order.
        ///   - waking: a pipe that `end` signals.
        ///   - end: ends the attempt.
        static func connect(
            to address: PostgresAddress, trying servers: [Int?], _ waking: WakePipe,
            endedBy end: PostgresEnd
        ) throws(SharedLogError) -> PostgresHandle {
            let attempt = PostgresAttempt(address, waking)
            defer { attempt.state.withLock { $0.isOver = true } }
            var servers = servers[...]
            let limit = Instant.now + limitedInterval
            var next = Instant.now
            while true {
                if let server = servers.first, attempt.isIdle || Instant.now >= next {
                    servers.removeFirst()
                    attempt.start(server)
                    next = .now + nextServerInterval
                }
                let now = Instant.now
                let rest = now < limit ? limit : now + limitedInterval
                let wait = servers.isEmpty ? rest : next
                if Platform.poll([waking.descriptor], until: wait)[0] { waking.reset() }
                // Checked after the reset, which may have consumed the signal.
                if end.isOver { throw .closed }
                if let handle = attempt.take() {
                    // Another thread may have signalled before the attempt was over.
                    waking.reset()
                    if end.isOver { throw .closed }
                    return handle
                }
                if servers.isEmpty, attempt.isIdle { throw .unavailable(attempt.failure) }
                if end.limitsAttempts, Instant.now >= limit {
                    throw .unavailable("The server was not reached in time.")
                }
            }
        }

        /// Whether all servers that were tried have failed.
        private var isIdle: Bool { state.withLock { $0.pending == 0 && $0.made == nil } }

        private var failure: String {
            state.withLock { state in
                var seen: Set<String> = []
                return state.failures.filter { seen.insert($0).inserted }.joined(separator: " ")
            }
        }

        private func start(_ server: Int?) {
            state.withLock { $0.pending += 1 }
            BlockingWork.start { [self] in
                let handle = address.connect(to: server)
                var failure: String?
                if handle == nil { failure = "no memory" }
                if let pointer = handle?.pointer, PQstatus(pointer) != CONNECTION_OK {
                    failure = address.message(of: pointer)
                }
                state.withLock { state in
                    state.pending -= 1
                    if let failure {
                        state.failures.append(failure)
                    } else if state.made == nil, !state.isOver {
                        state.made = handle
                    }
                    if !state.isOver { waking.signal() }
                }
            }
        }

        /// The connection, and the end of the attempt; nil while there is no connection.
        private func take() -> PostgresHandle? {
            state.withLock { state in
                guard let made = state.made else { return nil }
                state.made = nil
                state.isOver = true
                return made
            }
        }
    }

    /// Which of the servers of an address was the primary last, for all logs of a process.
    enum PostgresPreference {
        private static let preferred = Mutex<[PostgresAddress: Int]>([:])

        /// The servers in the order in which they are tried; nil stands for libpq's own choice.
        static func order(of address: PostgresAddress) -> [Int?] {
            let servers = address.servers.indices
            let first = preferred.withLock { $0[address] } ?? 0
            return servers.isEmpty ? [nil] : Array(servers[first...]) + Array(servers[..<first])
        }

        /// Notes that a server has proved to be the primary.
        static func note(_ server: Int?, of address: PostgresAddress) {
            preferred.withLock { $0[address] = server }
        }

        /// Notes that a server has failed: the one after it is tried first.
        static func avoid(_ server: Int?, of address: PostgresAddress) {
            guard let server else { return }
            preferred.withLock { preferred in
                guard (preferred[address] ?? 0) == server else { return }
                preferred[address] = (server + 1) % address.servers.count
            }
        }
    }
#endif
