#if S3
    import Synchronization

    /// Calls of one log to its bucket, which block until they are answered, time out, or the log is
    /// closed.
    struct S3Bucket: Sendable {
        /// The maximum number of concurrent requests of one call.
        static let callsMax = 8
        /// The interval at which a call checks whether it is still needed.
        private static let interval = Duration.milliseconds(50)
        /// How long a request may take once the log limits calls, see ``S3End``.
        private static let limitedCallMax = Duration.seconds(1)
        /// The largest object: an entry or a part of an image, with its overhead.
        private static let objectBytesMax = 5 << 20

        let transport: any S3Transport
        let end: S3End
        /// The timeout of a request, in addition to the transfer of its bytes.
        let timeout: Duration
        var tagForm = S3TagForm.asReceived

        // MARK: Calls

        /// The answer to one request, whatever its status.
        func answer(to request: S3Request) throws(S3Failure) -> S3Response {
            try wait(for: start(request), request)
        }

        /// The answers to idempotent requests, which are sent concurrently.
        func answers(to requests: [S3Request]) throws(SharedLogError) -> [S3Response] {
            var calls: [Flight] = []
            defer { for call in calls { call.cancel() } }
            var answers: [S3Response] = []
            for (number, request) in requests.enumerated() {
                while calls.count < min(requests.count, number + Self.callsMax) {
                    calls.append(start(requests[calls.count]))
                }
                do throws(S3Failure) {
                    answers.append(try wait(for: calls[number], request))
                } catch {
                    throw error.ofReading
                }
            }
            return answers
        }

        /// A request in progress.
        private final class Flight: Sendable {
            let outcome = Mutex<Result<S3Response, S3Failure>?>(nil)
            let call = Mutex<(any S3Call)?>(nil)
            let hasEnded = ThreadSemaphore()

            func cancel() {
                if outcome.withLock({ $0 == nil }) { call.withLock { $0 }?.cancel() }
            }
        }

        private func start(_ request: S3Request) -> Flight {
            let flight = Flight()
            let call = transport.start(request) { outcome in
                flight.outcome.withLock { $0 = outcome }
                flight.hasEnded.signal()
            }
            flight.call.withLock { $0 = call }
            return flight
        }

        private func wait(
            for flight: Flight, _ request: S3Request
        ) throws(S3Failure) -> S3Response {
            let began = Instant.now
            let limit = request.limit(timeout)
            while !flight.hasEnded.wait(upTo: Self.interval) {
                if end.isOver || isAbandoned(request, began) || Instant.now - began > limit {
                    flight.cancel()
                    if end.isOver { throw .closed }
                    throw .noAnswer("The storage did not respond in time")
                }
            }
            guard let outcome = flight.outcome.withLock({ $0 }) else { throw .closed }
            return try outcome.get()
        }

        /// Whether calls must end soon, and a request is not worth a longer wait. An append is
        /// waited for without the time for its transfer: its outcome can be determined later.
        private func isAbandoned(_ request: S3Request, _ began: Instant) -> Bool {
            guard let limited = end.limited else { return false }
            if request.isAppend { return Instant.now - max(began, limited) > timeout }
            return Instant.now - began > Self.limitedCallMax
        }

        // MARK: Objects

        /// An object; nil if none has this name.
        func object(_ key: String) throws(SharedLogError) -> S3Response? {
            var request = S3Request(.get, key)
            request.answerBytes = Self.objectBytesMax
            return try Self.found(try reading(request))
        }

        func remove(_ keys: [String]) throws(SharedLogError) {
            for answer in try answers(to: keys.map { S3Request(.delete, $0) })
            where answer.status != 404 && !answer.isSuccess { throw answer.error }
        }

        /// Conditionally writes an object: if none has this name, or the existing one has `tag`;
        /// otherwise false. May be repeated if its outcome is unknown.
        func put(
            _ body: [UInt8], _ key: String, over tag: String? = nil
        ) throws(SharedLogError) -> Bool {
            let answer: S3Response
            do throws(S3Failure) {
                let condition = tag.map { tagForm.condition($0) }
                answer = try self.answer(to: Self.putting(body, key, over: condition))
            } catch {
                throw error.ofReading
            }
            if answer.status == 412 { return false }
            // For a missing object, some storages respond with 412, others with this code.
            if tag != nil, answer.status == 404, answer.code == "NoSuchKey" { return false }
            guard answer.isSuccess else { throw answer.error }
            return true
        }

        /// `tag` must have the form that the storage expects.
        static func putting(_ body: [UInt8], _ key: String, over tag: String? = nil) -> S3Request {
            var request = S3Request(.put, key)
            request.body = body
            if let tag {
                request.headers["if-match"] = tag
            } else {
                request.headers["if-none-match"] = "*"
            }
            return request
        }

        /// The objects whose names begin with `prefix` and are after `last`: at least one if there
        /// is one.
        func list(
            _ prefix: String, after last: String = "", atMost count: Int = 1000
        ) throws(SharedLogError) -> S3Listing {
            var page: String?
            while true {
                let request = Self.listing(prefix, after: last, atMost: count, page: page)
                let answer = try reading(request)
                guard answer.isSuccess else { throw answer.error }
                guard let listing = S3Listing(answer.body) else {
                    throw .refused("The storage did not respond to a list request with a list.")
                }
                guard listing.isInOrder(after: last) else {
                    throw .refused("The storage does not list objects in the order of their names.")
                }
                guard listing.objects.isEmpty, listing.isTruncated else { return listing }
                // A page may have no objects although there are more pages.
                guard let next = listing.nextPage, next != page else {
                    throw .refused("The storage does not name the next page of a list.")
                }
                page = next
            }
        }

        /// All of them, in several pages if necessary.
        func listAll(_ prefix: String) throws(SharedLogError) -> [S3Listing.Object] {
            var objects: [S3Listing.Object] = []
            while true {
                let page = try list(prefix, after: objects.last?.key ?? "")
                objects += page.objects
                if page.objects.isEmpty || !page.isTruncated { return objects }
            }
        }

        static func listing(
            _ prefix: String, after last: String, atMost count: Int, page: String? = nil
        ) -> S3Request {
            var request = S3Request(.get, "")
            if let page {
                request.parameters = [.init(name: "continuation-token", value: page)]
            }
            request.parameters += [
                .init(name: "list-type", value: "2"), .init(name: "max-keys", value: "\(count)"),
                .init(name: "prefix", value: prefix),
            ]
            if !last.isEmpty { request.parameters.append(.init(name: "start-after", value: last)) }
            request.answerBytes = count * 512
            return request
        }

        private func reading(_ request: S3Request) throws(SharedLogError) -> S3Response {
            do throws(S3Failure) { return try answer(to: request) } catch { throw error.ofReading }
        }

        /// Nil for a missing object. A missing bucket is an error, as is a proxy that does not
        /// reach the storage.
        static func found(_ answer: S3Response) throws(SharedLogError) -> S3Response? {
            if answer.status == 404, answer.code == "NoSuchKey" { return nil }
            guard answer.isSuccess else { throw answer.error }
            return answer
        }
    }
#endif
