#if S3
    /// The answer of a bucket.
    struct S3Response: Sendable {
        let status: Int
        var tag = ""
        var body: [UInt8] = []

        var isSuccess: Bool { 200..<300 ~= status }

        /// The code of an error, a single word; the rest of its text may contain confidential
        /// names.
        var code: String {
            let found = S3Listing.text(of: "Code", in: String(decoding: body, as: UTF8.self)) ?? ""
            let isWord = found.allSatisfy { $0.isLetter || $0 == "." }
            return isWord && 1...64 ~= found.utf8.count ? found : "HTTP \(status)"
        }

        /// Whether the same request may succeed later. The key management service of a bucket may
        /// throttle requests as well, with its own code and any status.
        var isTransient: Bool {
            let codes = [
                "RequestTimeout", "SlowDown", "ServiceUnavailable",
                // Its body was damaged or cut off in transit.
                "BadDigest", "IncompleteBody",
            ]
            return status != 501 && status >= 500 || [408, 409, 429].contains(status)
                || codes.contains(code) || code.hasSuffix("ThrottlingException")
        }

        /// Whether it was rejected for the time of its signature, or expired keys: a request that
        /// is signed later may succeed.
        private var isOutdated: Bool {
            code == "RequestTimeTooSkewed" || code == "ExpiredToken"
        }

        /// The error of an unexpected answer.
        var error: SharedLogError {
            if isTransient || isOutdated {
                return .unavailable("The storage responded with \(code)")
            }
            if 300..<400 ~= status {
                return .refused("The bucket is at another address, or in another region (\(code)).")
            }
            return .refused("The storage responded with \(code).")
        }
    }

    /// The failure of a request without an answer.
    enum S3Failure: Error, Sendable, Hashable {
        /// The request was not sent.
        case notSent(SharedLogError)
        /// The request may have been executed.
        case noAnswer(String)
        /// The log was closed meanwhile.
        case closed

        /// The error of a call that may be repeated.
        var ofReading: SharedLogError {
            switch self {
            case .notSent(let error): error
            case .noAnswer(let why): .unavailable(why)
            case .closed: .closed
            }
        }
    }
#endif
