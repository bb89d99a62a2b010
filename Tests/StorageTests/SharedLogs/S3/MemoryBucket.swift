#if S3
    import Synchronization

    @testable import Storage

    /// A bucket in memory with faults that tests inject.
    final class MemoryBucket: S3Transport {
        /// The effect of a fault on a request.
        enum Fault {
            /// It is not executed, and gets this answer.
            case answer(Int, String = "")
            /// It is not executed, and succeeds with this text.
            case text(String)
            /// It is executed, without an answer.
            case loseAnswer
            /// It is lost, without an answer.
            case loseRequest
            /// The same, and that shows only after a time.
            case loseRequestAfter(Duration)
            /// It is executed and answered only after a time.
            case slow(Duration)
            /// It has no answer, and is executed by ``deliverLate()``.
            case late
            /// The server cannot be reached.
            case unreachable
            /// It is executed twice, and the second answer is returned.
            case twice
            /// Its conditions are ignored.
            case unconditionally
            /// The closure is called before it is executed.
            case after(@Sendable () -> Void)
        }

        /// How it compares the tag of the condition `If-Match` with that of the object.
        enum TagMatching: Sendable {
            /// As S3 does.
            case withQuotes
            /// Its own tag has no quotes: the one that it returned does not match.
            case withoutQuotes
            /// None matches.
            case never

            func matches(_ tag: String, _ object: Object?) -> Bool {
                guard let object else { return false }
                return switch self {
                case .withQuotes: tag == object.tag
                case .withoutQuotes: tag == object.tag.filter { $0 != "\"" }
                case .never: false
                }
            }
        }

        struct Object {
            var body: [UInt8]
            var tag: String
        }

        private struct Call: S3Call {
            func cancel() {}
        }

        private struct State {
            var objects: [String: Object] = [:]
            var tags = 0
            var requests: [String] = []
            var late: [S3Request] = []
        }

        private let matching: TagMatching
        private let state = Mutex(State())
        private let fault = Mutex<(@Sendable (S3Request) -> Fault?)?>(nil)

        init(_ matching: TagMatching = .withQuotes) { self.matching = matching }

        /// The names of all objects.
        var keys: [String] { state.withLock { $0.objects.keys.sorted() } }

        /// The methods and names of the requests.
        var requests: [String] { state.withLock { $0.requests } }

        func forgetRequests() { state.withLock { $0.requests = [] } }

        /// Injects the faults that `fault` returns into later requests.
        func fail(_ fault: (@Sendable (S3Request) -> Fault?)?) {
            self.fault.withLock { $0 = fault }
        }

        /// Injects a fault into the next request for which `isMeant` is true.
        func failOnce(_ fault: Fault, where isMeant: @escaping @Sendable (S3Request) -> Bool) {
            let isDue = Tally()
            fail { request in
                guard isDue.count == 0, isMeant(request) else { return nil }
                isDue.add()
                return fault
            }
        }

        /// Executes the oldest late request.
        func deliverLate() {
            let request = state.withLock { $0.late.isEmpty ? nil : $0.late.removeFirst() }
            if let request { _ = carryOut(request) }
        }

        func put(_ body: [UInt8], _ key: String) {
            _ = state.withLock { Self.put(body, key, &$0) }
        }

        func remove(_ key: String) { state.withLock { $0.objects[key] = nil } }

        func body(_ key: String) -> [UInt8]? { state.withLock { $0.objects[key]?.body } }

        func start(
            _ request: S3Request,
            _ done: @escaping @Sendable (Result<S3Response, S3Failure>) -> Void
        ) -> any S3Call {
            state.withLock { $0.requests.append("\(request.method.rawValue) \(request.key)") }
            let fault = self.fault.withLock { $0 }?(request)
            if case .slow(let time)? = fault {
                S3Alarm.shared.set(after: time) { [self] in done(.success(carryOut(request))) }
            } else {
                done(outcome(request, fault))
            }
            return Call()
        }

        private func outcome(
            _ request: S3Request, _ fault: Fault?
        ) -> Result<S3Response, S3Failure> {
            switch fault {
            case nil, .slow: return .success(carryOut(request))
            case .answer(let status, let code):
                let text = "<Error><Code>\(code)</Code></Error>"
                return .success(S3Response(status: status, body: Array(text.utf8)))
            case .text(let text):
                return .success(S3Response(status: 200, body: Array(text.utf8)))
            case .loseAnswer:
                _ = carryOut(request)
                return .failure(.noAnswer("lost"))
            case .loseRequest: return .failure(.noAnswer("lost"))
            case .loseRequestAfter(let time):
                Platform.pause(for: time)
                return .failure(.noAnswer("lost"))
            case .late:
                state.withLock { $0.late.append(request) }
                return .failure(.noAnswer("lost"))
            case .unreachable: return .failure(.notSent(.unavailable("unreachable")))
            case .twice:
                _ = carryOut(request)
                return .success(carryOut(request))
            case .unconditionally:
                var request = request
                request.headers = [:]
                return .success(carryOut(request))
            case .after(let action):
                action()
                return .success(carryOut(request))
            }
        }

        private func carryOut(_ request: S3Request) -> S3Response {
            state.withLock { state in
                let found = state.objects[request.key]
                switch request.method {
                case .get where request.key.isEmpty: return Self.list(request, state)
                case .get:
                    guard let found else { return Self.missing }
                    let range = request.headers["range"]?.split(separator: "-").last
                    let end = range.flatMap { Int($0) }.map { $0 + 1 } ?? found.body.count
                    return S3Response(
                        status: 200, tag: found.tag, body: Array(found.body.prefix(end)))
                case .put:
                    if request.headers["if-none-match"] == "*", found != nil {
                        return S3Response(status: 412)
                    }
                    if let tag = request.headers["if-match"], !matching.matches(tag, found) {
                        // Storages differ in their answer for a missing object.
                        let isMissing = found == nil && matching == .withQuotes
                        return isMissing ? Self.missing : S3Response(status: 412)
                    }
                    return Self.put(request.body, request.key, &state)
                case .delete:
                    state.objects[request.key] = nil
                    return S3Response(status: 204)
                }
            }
        }

        private static let missing = S3Response(
            status: 404, body: Array("<Error><Code>NoSuchKey</Code></Error>".utf8))

        private static func put(_ body: [UInt8], _ key: String, _ state: inout State) -> S3Response
        {
            state.tags += 1
            state.objects[key] = Object(body: body, tag: "\"\(state.tags)\"")
            return S3Response(status: 200, tag: "\"\(state.tags)\"")
        }

        private static func list(_ request: S3Request, _ state: State) -> S3Response {
            func value(_ name: String) -> String {
                request.parameters.first { $0.name == name }?.value ?? ""
            }
            let keys = state.objects.keys.sorted()
                .filter { $0.hasPrefix(value("prefix")) && $0 > value("start-after") }
            let page = keys.prefix(Int(value("max-keys")) ?? 0)
            let objects = page.map { key in
                "<Contents><Key>\(key)</Key><Size>\(state.objects[key]?.body.count ?? 0)</Size>"
                    + "</Contents>"
            }
            let text =
                "<ListBucketResult><IsTruncated>\(page.count < keys.count)</IsTruncated>"
                + objects.joined() + "</ListBucketResult>"
            return S3Response(status: 200, body: Array(text.utf8))
        }
    }
#endif
