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
            let done: @Sendable (Result<S3Response, S3Failure>) -> Void
            var body: [UInt8] = []
            /// Whether anything of what it carries was sent.
            var isSent = false
        }

        private static let delegate = S3Session()
        private static let session = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.httpMaximumConnectionsPerHost = 16
            return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }()

        private let pending = Mutex<[Int: Pending]>([:])

        /// A task that has not begun yet, and calls `done` once.
        static func task(
            _ request: URLRequest,
            _ done: @escaping @Sendable (Result<S3Response, S3Failure>) -> Void
        ) -> URLSessionTask {
            let task = session.dataTask(with: request)
            delegate.pending.withLock { $0[task.taskIdentifier] = Pending(done: done) }
            return task
        }

        /// A redirection is an answer: the address is part of what was signed, and nobody else is
        /// to see the rest.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        /// Who asks for a password has answered: there is none, and Foundation would never end the
        /// task on Linux.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            guard let answer = challenge.failureResponse as? HTTPURLResponse else {
                // About certificates.
                return completionHandler(.performDefaultHandling, nil)
            }
            let ended = pending.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            ended?.done(.success(S3Response(status: answer.statusCode)))
            completionHandler(.cancelAuthenticationChallenge, nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
        {
            pending.withLock { $0[dataTask.taskIdentifier]?.body += data }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
            totalBytesSent: Int64, totalBytesExpectedToSend: Int64
        ) {
            pending.withLock { $0[task.taskIdentifier]?.isSent = true }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            guard let ended = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) })
            else { return }
            if let error { return ended.done(.failure(ended.failure(error))) }
            guard let answer = task.response as? HTTPURLResponse else {
                return ended.done(.failure(.noAnswer("The storage has not answered by HTTP")))
            }
            let tag = answer.value(forHTTPHeaderField: "ETag") ?? ""
            ended.done(
                .success(S3Response(status: answer.statusCode, tag: tag, body: ended.body)))
        }
    }

    extension S3Session.Pending {
        /// Which error it is, without its text, which has the whole address.
        fileprivate func failure(_ error: any Error) -> S3Failure {
            let failure = Self.failure(error)
            // A request is sent once more by itself when a connection that was kept has ended. Of
            // the second attempt nothing says what became of the first.
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
            case .timedOut: return .noAnswer("The storage has not answered in time")
            default:
                return .noAnswer("The connection to the storage has ended (\(code.rawValue))")
            }
        }
    }
#endif
