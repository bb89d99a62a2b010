#if S3
    import Foundation
    import Synchronization

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// The connections of a process to object storages, which all its realms share.
    final class S3Session: NSObject, URLSessionDataDelegate, Sendable {
        /// A request whose answer is not complete.
        fileprivate struct Pending {
            let task: URLSessionTask
            let server: String
            /// How long the server may be silent.
            let timeout: Duration
            let deadline: Instant
            /// When it ends unless the server sends something: the time for a large answer is not
            /// for a server that is silent.
            let silenceEnd: Instant
            let done: @Sendable (Result<S3Response, S3Failure>) -> Void
            var body: [UInt8] = []
            /// Whether any of its body was sent.
            var isSent = false
        }

        private struct State {
            var pending: [Int: Pending] = [:]
            /// When the servers of pending requests have last sent data, or completed an answer,
            /// which may have none.
            var lastNews: [String: Instant] = [:]
            /// Whether a check for timeouts is scheduled.
            var isWatching = false

            /// Whether a request exceeds its limit. A server that answers others is not silent for
            /// those that wait for a connection.
            func isLate(_ request: Pending, at now: Instant) -> Bool {
                let newsEnd = lastNews[request.server].map { $0 + request.timeout }
                return request.deadline < now
                    || max(request.silenceEnd, newsEnd ?? request.silenceEnd) < now
            }
        }

        /// The interval of these checks.
        private static let interval = Duration.seconds(1)

        private static let delegate = S3Session()
        private static let session = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.httpMaximumConnectionsPerHost = 16
            return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }()

        private let state = Mutex(State())

        /// Creates a task that is not started yet, and calls `done` once: after the time limit of
        /// `origin` at the latest, and earlier if the server is silent for `timeout`.
        static func task(
            _ request: URLRequest, of origin: S3Request, _ timeout: Duration,
            _ done: @escaping @Sendable (Result<S3Response, S3Failure>) -> Void
        ) -> URLSessionTask {
            let task = session.dataTask(with: request)
            let now = Instant.now
            let server = "\(request.url?.host() ?? ""):\(request.url?.port ?? 0)"
            let pending = Pending(
                task: task, server: server, timeout: timeout,
                deadline: now + origin.limit(timeout),
                silenceEnd: now + origin.answerLimit(timeout), done: done)
            let isFirst = delegate.state.withLock { state in
                state.pending[task.taskIdentifier] = pending
                defer { state.isWatching = true }
                return !state.isWatching
            }
            if isFirst { delegate.watch() }
            return task
        }

        /// Cancels tasks that exceed their limit, while there are any: Foundation on Linux never
        /// times out if a server does not respond, and the task keeps a connection.
        private func watch() {
            S3Alarm.shared.set(after: Self.interval) { [self] in
                let (late, hasPending) = state.withLock { state in
                    let now = Instant.now
                    state.isWatching = !state.pending.isEmpty
                    if !state.isWatching { state.lastNews = [:] }
                    let late = state.pending.values.filter { state.isLate($0, at: now) }
                    return (late.map(\.task), state.isWatching)
                }
                for task in late { task.cancel() }
                if hasPending { watch() }
            }
        }

        /// A redirection is not followed: the address is part of the signature, and other servers
        /// must not see the request.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        /// A request for a password is treated as an answer: there is none, and Foundation on Linux
        /// would never end the task.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            guard let answer = challenge.failureResponse as? HTTPURLResponse else {
                // Checks certificates.
                return completionHandler(.performDefaultHandling, nil)
            }
            let ended = state.withLock { $0.pending.removeValue(forKey: task.taskIdentifier) }
            ended?.done(.success(S3Response(status: answer.statusCode)))
            completionHandler(.cancelAuthenticationChallenge, nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
        {
            state.withLock { state in
                let task = dataTask.taskIdentifier
                guard let server = state.pending[task]?.server else { return }
                state.pending[task]?.body += data
                state.lastNews[server] = .now
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
            totalBytesSent: Int64, totalBytesExpectedToSend: Int64
        ) {
            state.withLock { $0.pending[task.taskIdentifier]?.isSent = true }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            let taken = state.withLock { state -> Pending? in
                let taken = state.pending.removeValue(forKey: task.taskIdentifier)
                if let taken, error == nil { state.lastNews[taken.server] = .now }
                return taken
            }
            guard let ended = taken else { return }
            if let error { return ended.done(.failure(ended.failure(error))) }
            guard let answer = task.response as? HTTPURLResponse else {
                return ended.done(.failure(.noAnswer("The storage did not respond with HTTP")))
            }
            let tag = answer.value(forHTTPHeaderField: "ETag") ?? ""
            ended.done(
                .success(S3Response(status: answer.statusCode, tag: tag, body: ended.body)))
        }
    }

    extension S3Session.Pending {
        /// The failure, without the text of the error, which contains the whole address.
        fileprivate func failure(_ error: any Error) -> S3Failure {
            let failure = Self.failure(error)
            // A request is automatically repeated if a kept connection has ended. The failure of
            // the second attempt says nothing about the first.
            if isSent, case .notSent(.unavailable(let why)) = failure { return .noAnswer(why) }
            return failure
        }

        private static func failure(_ error: any Error) -> S3Failure {
            guard let code = (error as? URLError)?.code else {
                return .noAnswer("The connection to the storage has failed")
            }
            switch code {
            case .cannotFindHost, .dnsLookupFailed:
                return .notSent(.unavailable("The storage's host is not known"))
            case .cannotConnectToHost, .notConnectedToInternet:
                return .notSent(.unavailable("The storage cannot be reached"))
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
                return .notSent(.unavailable("The storage's certificate was not accepted"))
            case .timedOut, .cancelled: return .noAnswer("The storage did not respond in time")
            default:
                return .noAnswer("The connection to the storage has ended (\(code.rawValue))")
            }
        }
    }
#endif
