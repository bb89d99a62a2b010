// Safety: the connection of libpq belongs to this object, and is used by one thread at a time: its
// owner keeps it under a lock, and does not give it to others. The receiver of notices is given
// this object, which makes every call that may receive one. Parameters live until the call that
// sends them returns; libpq copies them.

#if PostgreSQL
    import CPostgreSQL
    import Foundation

    // Unchecked: its owner uses it with a lock held only.
    /// One connection to a server. A call fails when nothing of it has come or gone for as long as
    /// its patience, and a connection on which one has failed is not used again: what the server
    /// still does for it is not known.
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
            }
        }
        let patience: Duration
        /// The names of the statements that are prepared.
        private var prepared: [String: String] = [:]
        /// Those that the server has refused to prepare.
        private var unknown: Set<String> = []
        /// How many answers come behind that of the statement that was run last.
        private var answersBehind = 0
        /// Whether a synchronous write may be on this server only.
        private var hasGivenUpWaiting = false
        private(set) var isBroken = false
        /// Whether it is broken since this end was closed, which says nothing of the server.
        private(set) var wasCutOff = false

        /// Connects.
        ///
        /// - Throws: ``SharedLogError/closed`` once `end` says so.
        init(
            _ address: PostgresAddress, patience: Duration, end: PostgresEnd
        ) throws(SharedLogError) {
            let waking = try WakePipe()
            end.add(waking)
            do throws(SharedLogError) {
                handle = try PostgresAttempt.connect(to: address, waking, endedBy: end)
            } catch {
                end.remove(waking)
                throw error
            }
            self.address = address
            self.patience = patience
            self.waking = waking
            self.end = end
            guard PQstatus(connection) == CONNECTION_OK else {
                throw .unavailable(address.message(of: connection))
            }
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

        /// The server's process for this connection.
        var process: Int32 { PQbackendPID(connection) }

        /// A notice comes while the answer to a statement is waited for.
        private func receive(_ notice: OpaquePointer) {
            // The words may be in another language, and the function may have none elsewhere.
            if PostgresResult.field(notice, "R").hasPrefix("SyncRepWait")
                || PostgresResult.field(notice, "M").contains("synchronous replication")
            {
                hasGivenUpWaiting = true
            }
        }

        // MARK: Statements

        /// How a call has failed.
        enum Failure: Error {
            /// It was not sent.
            case notSent(String)
            /// The connection ended, or the time was over, before the answer.
            case unanswered(String)
            /// The server has undone it, for a reason with this code.
            case undone(state: String, String)
            /// The server has done it, and other servers perhaps not.
            case notReplicated

            /// What a call has failed with that writes nothing, or whose writes do not matter.
            var ofReading: SharedLogError {
                switch self {
                case .notSent(let why), .unanswered(let why): .unavailable(why)
                case .undone(let state, let why): Self.undone(state, why)
                case .notReplicated: .unavailable(Self.alone)
                }
            }

            /// What an append has failed with.
            var ofAppending: SharedLogError {
                switch self {
                case .notSent(let why): .unavailable(why)
                case .unanswered(let why): .outcomeUnknown(why)
                case .undone(let state, let why): Self.undone(state, why)
                case .notReplicated: .outcomeUnknown(Self.alone)
                }
            }

            private static let alone = "The server did not wait for its standbys."

            private static func undone(_ state: String, _ why: String) -> SharedLogError {
                // The session's own statements are gone, or those of another one are there.
                if PostgresConnection.lostStates.contains(state) {
                    return .refused(
                        "\(why) (\(state)). A pooler that changes the server connection between "
                            + "transactions is not supported.")
                }
                // What passes: resources, conflicts, locks, a server that is read-only for now.
                let passing = ["53", "40", "55", "57", "58"].contains { state.hasPrefix($0) }
                return passing || state == "25006"
                    ? .unavailable(why) : .refused("\(why) (\(state))")
            }
        }

        /// What a server says of prepared statements that are not those of the session.
        private static let lostStates: Set<String> = ["26000", "42P05"]

        /// Runs a statement, which is prepared the first time.
        ///
        /// Has the server run `question` and `next` when that is committed, each in a transaction
        /// of its own: without a round trip, and without waiting for them. Whether it has run
        /// `next` is not known; ``answerToQuestion()`` waits for the other one.
        func run(
            _ statement: String, _ values: [PostgresValue] = [], asking question: String? = nil,
            then next: String? = nil, _ nextValues: [PostgresValue] = []
        ) throws(Failure) -> PostgresResult {
            let deadline = ContinuousClock.now + patience
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

        /// What the server has answered to the question behind the statement that was run last.
        ///
        /// - Throws: ``Failure/unanswered(_:)``, and the connection is not used again.
        func answerToQuestion() throws(Failure) -> PostgresResult {
            answersBehind -= 1
            let answer = try takeAnswer(until: .now + patience)
            if answer.isError { throw unanswered(address.scrubbed(answer.message)) }
            return answer
        }

        private func sendInPipeline(_ name: String, _ values: [PostgresValue]) -> Bool {
            send(name, values) && PQpipelineSync(connection) == 1
        }

        private func send(_ name: String, _ values: [PostgresValue]) -> Bool {
            let encoded = values.map(\.encoded)
            // One buffer, so that all pointers into it are valid at once.
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

        /// Runs statements that have no parameters, and are not prepared.
        func runScript(_ statements: String) throws(Failure) {
            _ = try answer(until: .now + patience) {
                PQsendQuery(connection, statements) == 1
            }
        }

        private func prepare(
            _ statement: String, _ values: [PostgresValue], until deadline: ContinuousClock.Instant
        ) throws(Failure) -> String {
            if let name = prepared[statement] { return name }
            // A session of a pooler may have statements of others: never another one of this name.
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

        /// Nil for a statement that engines may not know which only speak the protocol.
        private func prepareIfKnown(
            _ statement: String, _ values: [PostgresValue], until deadline: ContinuousClock.Instant
        ) throws(Failure) -> String? {
            if unknown.contains(statement) { return nil }
            do {
                return try prepare(statement, values, until: deadline)
            } catch .undone {
                unknown.insert(statement)
                return nil
            }
        }

        /// Sends, and waits for the answer.
        private func answer(
            until deadline: ContinuousClock.Instant, _ send: () -> Bool
        ) throws(Failure) -> PostgresResult {
            try endPipeline(until: deadline)
            hasGivenUpWaiting = false
            guard send() else { throw unanswered(address.message(of: connection)) }
            let answer = try takeAnswer(until: deadline)
            if answer.isError { throw failure(answer) }
            if hasGivenUpWaiting {
                // Others that read on it would see what no other server may have.
                isBroken = true
                throw .notReplicated
            }
            return answer
        }

        /// Waits for the end of a transaction: its first error, or else its last result.
        private func takeAnswer(
            until deadline: ContinuousClock.Instant
        ) throws(Failure) -> PostgresResult {
            var deadline = deadline
            var answer: PostgresResult?
            var isAtEnd = false
            while !isAtEnd {
                try awaitResult(until: &deadline)
                guard let next = PQgetResult(connection) else {
                    // In a pipeline it is the end of a statement, which is not committed yet.
                    isAtEnd = answer == nil || PQpipelineStatus(connection) == PQ_PIPELINE_OFF
                    // Then nothing comes any more, not even the end of the pipeline.
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

        /// Takes the answers that no caller has waited for.
        private func endPipeline(until deadline: ContinuousClock.Instant) throws(Failure) {
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
            // Without a code it is not the server that answers; a server that shuts down may have
            // written before; and one in front of others says if it does not know.
            let mayBeDone =
                answer.state.isEmpty
                || ["08", "57P", "40003"].contains { answer.state.hasPrefix($0) }
            if mayBeDone || PQstatus(connection) != CONNECTION_OK {
                return unanswered(address.scrubbed(answer.message))
            }
            // Another server may be the primary by now, or the tables were made anew.
            if ["25006", "0A000"].contains(answer.state) || Self.lostStates.contains(answer.state) {
                isBroken = true
            }
            return .undone(state: answer.state, address.scrubbed(answer.message))
        }

        /// Ends its use, since what it answered counts for nothing.
        func breakOff(_ why: String) -> Failure { unanswered(why) }

        private func unanswered(_ why: String) -> Failure {
            isBroken = true
            return .unanswered(why.isEmpty ? "The connection has ended." : why)
        }

        /// Waits until a result can be taken without waiting. The deadline moves on while something
        /// comes or goes: what is large takes its time on a slow line.
        private func awaitResult(
            until deadline: inout ContinuousClock.Instant
        ) throws(Failure) {
            while true {
                let isSent = PQflush(connection)
                guard isSent >= 0 else { throw unanswered(address.message(of: connection)) }
                if isSent == 0, PQisBusy(connection) == 0 { return }
                let ready = Platform.poll(
                    [descriptor, waking.descriptor], writing: isSent > 0, until: deadline)
                if ready[1] {
                    wasCutOff = true
                    throw unanswered("This end was closed.")
                }
                guard ready[0] else { throw unanswered("The server does not answer.") }
                deadline = max(deadline, .now + patience)
                guard PQconsumeInput(connection) == 1 else {
                    throw unanswered(address.message(of: connection))
                }
            }
        }

        // MARK: Notifications

        /// Takes what has arrived; false when the connection has ended.
        func takeInput() -> Bool {
            while Platform.poll([descriptor], until: .now)[0] {
                guard PQconsumeInput(connection) == 1, PQstatus(connection) == CONNECTION_OK else {
                    isBroken = true
                    return false
                }
                // A read of nothing is the end, which the next one says.
            }
            return true
        }

        /// The next notification that has arrived: the channel, and what was sent there.
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
