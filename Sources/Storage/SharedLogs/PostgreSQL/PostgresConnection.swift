// Safety: the connection of libpq is owned by this object, and used by one thread at a time: its
// owner keeps it under a lock. The notice receiver gets this object, which makes every call during
// which a notice may arrive. Parameters live until the call that sends them returns; libpq copies
// them.

#if PostgreSQL
    import CPostgreSQL
    import Foundation
    import Synchronization

    // Unchecked, and safe: its owner uses it only under a lock.
    /// One connection to a server. A call fails if no data was transferred for its timeout, and a
    /// connection is not used again after a failed call, since the server may still be executing
    /// it.
    final class PostgresConnection: @unchecked Sendable {
        private let handle: PostgresHandle
        private let address: PostgresAddress
        /// Ends a wait for the server from another thread.
        private let waking: WakePipe
        /// Ends every wait of the log that uses it, once.
        var end: PostgresEnd {
            didSet {
                if oldValue === end { return }
                oldValue.remove(waking)
                end.add(waking)
                // The end that was removed may have reset the pipe.
                if isSuperseded { waking.signal() }
            }
        }
        let timeout: Duration
        /// Called when the server has not answered for a while, repeatedly until it does.
        var whenLate: ((PostgresConnection) -> Void)?
        /// Whether the session has the settings for durable commits.
        var isSecured = false
        /// Whether calls use it, as ``PostgresConnections`` records under its lock.
        var isForCalls = false
        /// The names of the statements that are prepared.
        private var prepared: [String: String] = [:]
        /// The statements that the engine does not support.
        private var unknown: Set<String> = []
        /// The number of pipelined answers after that of the last statement.
        private var answersBehind = 0
        /// How many requests were sent; pipelined statements are one.
        private(set) var roundTrips = 0
        /// Whether a synchronous write may not have been replicated.
        private var mayLackReplication = false
        private(set) var isBroken = false
        /// Whether it is broken because the log was closed, which says nothing about the server.
        private(set) var wasCutOff = false
        private let knownInstance = Mutex<String?>(nil)
        private let superseded = Atomic(false)
        private let retired = Atomic(false)

        /// Why a call on a superseded connection ends.
        static let supersession = "Another server is the primary now."
        /// How long the server may take to answer before ``whenLate`` is called.
        private static let lateInterval = Duration.milliseconds(500)

        /// Opens the connection.
        ///
        /// - Parameters:
        ///   - address: its servers.
        ///   - timeout: how long the server may take to answer.
        ///   - end: ends the waits of the connection.
        ///   - servers: those that are tried, in this order; nil for all.
        /// - Throws: ``SharedLogError/closed`` once `end` is over.
        init(
            _ address: PostgresAddress, timeout: Duration, end: PostgresEnd,
            trying servers: [Int?]? = nil
        ) throws(SharedLogError) {
            let waking = try WakePipe()
            end.add(waking)
            do throws(SharedLogError) {
                handle = try PostgresAttempt.connect(
                    to: address, trying: servers ?? PostgresPreference.order(of: address),
                    waking, endedBy: end)
            } catch {
                end.remove(waking)
                throw error
            }
            self.address = address
            self.timeout = timeout
            self.waking = waking
            self.end = end
            guard PQsetnonblocking(connection, 1) == 0 else {
                throw .unavailable(address.message(of: connection))
            }
            PQsetNoticeReceiver(
                connection,
                { object, notice in
                    guard let object, let notice else { return }
                    Unmanaged<PostgresConnection>.fromOpaque(object).takeUnretainedValue()
                        .receive(notice)
                }, Unmanaged.passUnretained(self).toOpaque())
        }

        deinit { end.remove(waking) }

        private var connection: OpaquePointer { handle.pointer }

        var descriptor: Int32 { PQsocket(connection) }

        /// The index of its server in the address, if that lists several.
        var server: Int? { handle.server }

        /// Identifies the process of the server; nil if it is not known.
        var instance: String? {
            get { knownInstance.withLock { $0 } }
            set { knownInstance.withLock { $0 = newValue } }
        }

        /// Whether it is known to lead to another server than `other`. The list may lead to one
        /// server in several ways, as through two proxies.
        func isElsewhere(than other: PostgresConnection) -> Bool {
            guard let own = instance, let another = other.instance else { return false }
            return server != other.server && own != another
        }

        /// Whether its server may no longer be the primary.
        var isRetired: Bool { retired.load(ordering: .acquiring) }

        /// It is not used for another call. Does not end the call of another thread.
        func retire() { retired.store(true, ordering: .releasing) }

        /// Whether another server is the primary.
        var isSuperseded: Bool { superseded.load(ordering: .acquiring) }

        /// As ``retire()``: another server has become the primary.
        func retireAsSuperseded() {
            // In this order: whoever finds it retired asks why.
            superseded.store(true, ordering: .releasing)
            retire()
        }

        /// Ends the call of another thread: another server has become the primary.
        func supersede() {
            retireAsSuperseded()
            waking.signal()
        }

        /// The server's process for this connection.
        var process: Int32 { PQbackendPID(connection) }

        /// A notice arrives during the wait for an answer.
        private func receive(_ notice: OpaquePointer) {
            // Matches the function of the server, since the message may be localized.
            if PostgresResult.field(notice, "R").hasPrefix("SyncRepWait")
                || PostgresResult.field(notice, "M").contains("synchronous replication")
            {
                mayLackReplication = true
            }
        }

        // MARK: Statements

        /// Runs a statement, which is prepared on first use.
        ///
        /// Pipelines `question` and `next` after the commit, each in a transaction of its own:
        /// without a round trip, and without waiting for them. The outcome of `next` is not known;
        /// ``followUpAnswer()`` waits for that of `question`.
        func run(
            _ statement: String, _ values: [PostgresValue] = [], asking question: String? = nil,
            then next: String? = nil, _ nextValues: [PostgresValue] = []
        ) throws(Failure) -> PostgresResult {
            let deadline = Instant.now + timeout
            let name = try prepare(statement, values, until: deadline)
            var behind: [(name: String, values: [PostgresValue])] = []
            if let question {
                let name = try prepare(question, [], until: deadline)
                behind.append((name: name, values: []))
            }
            if let next, let name = try prepareIfKnown(next, nextValues, until: deadline) {
                behind.append((name: name, values: nextValues))
            }
            return try answer(until: deadline) {
                answersBehind = behind.count
                if behind.isEmpty { return send(name, values) }
                return PQenterPipelineMode(connection) == 1 && sendInPipeline(name, values)
                    && behind.allSatisfy { sendInPipeline($0.name, $0.values) }
            }
        }

        /// The answer to the `question` after the last statement.
        ///
        /// - Throws: ``Failure/unanswered(_:)``, and the connection is not used again.
        func followUpAnswer() throws(Failure) -> PostgresResult {
            answersBehind -= 1
            let answer = try takeAnswer(until: .now + timeout)
            if answer.isError { throw unanswered(address.scrubbed(answer.message)) }
            return answer
        }

        private func sendInPipeline(_ name: String, _ values: [PostgresValue]) -> Bool {
            send(name, values) && PQpipelineSync(connection) == 1
        }

        private func send(_ name: String, _ values: [PostgresValue]) -> Bool {
            let encoded = values.map(\.encoded)
            // One buffer, so that all pointers into it are valid at the same time.
            let buffer = encoded.flatMap(\.bytes)
            let lengths = encoded.map { Int32($0.count) }
            let formats = values.map { _ in Int32(1) }
            return buffer.withUnsafeBytes { bytes in
                var offset = 0
                let pointers = encoded.map { value in
                    defer { offset += value.bytes.count }
                    return bytes.baseAddress?.advanced(by: offset)
                        .assumingMemoryBound(to: CChar.self)
                }
                return PQsendQueryPrepared(
                    connection, name, Int32(values.count), pointers, lengths, formats, 1)
                    == 1
            }
        }

        /// Runs statements without parameters, unprepared.
        func runScript(_ statements: String) throws(Failure) {
            _ = try answer(until: .now + timeout) {
                PQsendQuery(connection, statements) == 1
            }
        }

        private func prepare(
            _ statement: String, _ values: [PostgresValue], until deadline: Instant
        ) throws(Failure) -> String {
            if let name = prepared[statement] { return name }
            // A pooled session may have statements of others: the name is derived from the text, so
            // it never denotes another one.
            let name = PostgresName.of(statement)
            let types = values.map(\.type)
            do {
                _ = try answer(until: deadline) {
                    PQsendPrepare(connection, name, statement, Int32(types.count), types) == 1
                }
            } catch .unanswered(let why) {
                throw .notSent(why)
            }
            prepared[statement] = name
            return name
        }

        /// Prepares a statement that compatible engines may not support; nil if that fails.
        private func prepareIfKnown(
            _ statement: String, _ values: [PostgresValue], until deadline: Instant
        ) throws(Failure) -> String? {
            if unknown.contains(statement) { return nil }
            do {
                return try prepare(statement, values, until: deadline)
            } catch .undone(let state, _) {
                // Any other error may be transient.
                if Self.unsupportedStates.contains(state) { unknown.insert(statement) }
                // An engine that lacks what it uses: no statement was prepared with other tables.
                if state == "0A000" { isBroken = false }
                return nil
            }
        }

        /// Sends a request, and waits for its answer.
        private func answer(
            until deadline: Instant, _ send: () -> Bool
        ) throws(Failure) -> PostgresResult {
            try endPipeline(until: deadline)
            mayLackReplication = false
            guard send() else { throw unanswered(address.message(of: connection)) }
            roundTrips += 1
            let answer = try takeAnswer(until: deadline)
            if answer.isError { throw failure(answer) }
            if mayLackReplication {
                // Readers on this connection would see what may not be replicated.
                isBroken = true
                throw .notReplicated
            }
            return answer
        }

        /// Waits for the end of a transaction: returns its first error, or its last result.
        private func takeAnswer(until deadline: Instant) throws(Failure) -> PostgresResult {
            var deadline = deadline
            var answer: PostgresResult?
            var isAtEnd = false
            while !isAtEnd {
                try awaitResult(until: &deadline)
                guard let next = PQgetResult(connection) else {
                    // In a pipeline it is the end of a statement, before its commit.
                    isAtEnd = answer == nil || PQpipelineStatus(connection) == PQ_PIPELINE_OFF
                    // On a broken connection, not even the end of the pipeline follows.
                    if !isAtEnd, PQstatus(connection) != CONNECTION_OK {
                        throw unanswered(address.message(of: connection))
                    }
                    continue
                }
                let result = PostgresResult(owning: next)
                isAtEnd = result.isEndOfTransaction
                if !isAtEnd, answer?.isError != true { answer = result }
            }
            guard let answer else { throw unanswered(address.message(of: connection)) }
            return answer
        }

        /// Discards the answers that no caller has waited for.
        private func endPipeline(until deadline: Instant) throws(Failure) {
            guard PQpipelineStatus(connection) != PQ_PIPELINE_OFF else { return }
            do {
                while answersBehind > 0 {
                    answersBehind -= 1
                    _ = try takeAnswer(until: deadline)
                }
            } catch .unanswered(let why) {
                throw .notSent(why)
            }
            guard PQexitPipelineMode(connection) == 1 else {
                isBroken = true
                throw .notSent(address.message(of: connection))
            }
        }

        private func failure(_ answer: PostgresResult) -> Failure {
            // Without a code, the error is not from the server. A server that shuts down may have
            // committed before. And a proxy may report an unknown outcome.
            let mayBeDone =
                answer.state.isEmpty
                || ["08", "57P", "40003"].contains { answer.state.hasPrefix($0) }
            if mayBeDone || PQstatus(connection) != CONNECTION_OK {
                return unanswered(address.scrubbed(answer.message))
            }
            // Another server may be the primary now, or the tables were recreated.
            if ["25006", "0A000"].contains(answer.state) || Self.lostStates.contains(answer.state) {
                isBroken = true
            }
            return .undone(state: answer.state, address.scrubbed(answer.message))
        }

        /// Marks the connection as broken, since its answers are not valid.
        func invalidate(_ why: String) -> Failure { unanswered(why) }

        private func unanswered(_ why: String) -> Failure {
            isBroken = true
            return .unanswered(why.isEmpty ? "The connection has ended." : why)
        }

        /// Waits until a result can be taken without blocking. The deadline is extended while data
        /// is transferred, since large data takes long on a slow line.
        private func awaitResult(until deadline: inout Instant) throws(Failure) {
            while true {
                let isSent = PQflush(connection)
                guard isSent >= 0 else { throw unanswered(address.message(of: connection)) }
                if isSent == 0, PQisBusy(connection) == 0 { return }
                let late = Instant.now + Self.lateInterval
                let ready = Platform.poll(
                    [descriptor, waking.descriptor], writing: isSent > 0,
                    until: min(late, deadline))
                if ready[1] {
                    wasCutOff = end.isOver
                    throw unanswered(
                        wasCutOff ? "The client closed the connection." : Self.supersession)
                }
                // Tried in any case, since it does not block: a part of a large TLS record may be
                // decrypted already, which the descriptor does not show.
                guard PQconsumeInput(connection) == 1 else {
                    throw unanswered(address.message(of: connection))
                }
                if ready[0] {
                    deadline = max(deadline, .now + timeout)
                } else if isSent > 0 || PQisBusy(connection) == 1 {
                    guard late < deadline else { throw unanswered("The server does not respond.") }
                    whenLate?(self)
                }
            }
        }

        // MARK: Notifications

        /// Consumes the input; false if the connection has ended.
        func takeInput() -> Bool {
            while Platform.poll([descriptor], until: .now)[0] {
                guard PQconsumeInput(connection) == 1, PQstatus(connection) == CONNECTION_OK else {
                    isBroken = true
                    return false
                }
                // A read of zero bytes is the end, which the next one reports.
            }
            return true
        }

        /// The next notification: its channel and payload.
        func nextNotification() -> (channel: String, payload: String)? {
            guard let notification = PQnotifies(connection) else { return nil }
            defer { PQfreemem(notification) }
            return (
                String(cString: notification.pointee.relname),
                String(cString: notification.pointee.extra)
            )
        }
    }
#endif
