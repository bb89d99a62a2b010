#if S3
    /// What a bucket has answered.
    struct S3Response: Sendable {
        let status: Int
        var tag = ""
        var body: [UInt8] = []

        var isSuccess: Bool { 200..<300 ~= status }

        /// The code of an error, which names its kind in one word; the rest of its text may have
        /// names that are nobody's business.
        var code: String {
            let found = S3Listing.text(of: "Code", in: String(decoding: body, as: UTF8.self)) ?? ""
            let isWord = found.allSatisfy { $0.isLetter || $0 == "." }
            return isWord && 1...64 ~= found.utf8.count ? found : "HTTP \(status)"
        }

        /// Whether the same request may succeed a moment later. The key management service of a
        /// bucket may throttle requests as well, with a code of its own and any status.
        var mayPass: Bool {
            let codes = ["RequestTimeout", "SlowDown", "ServiceUnavailable"]
            return status != 501 && status >= 500 || [408, 409, 429].contains(status)
                || codes.contains(code) || code.hasSuffix("ThrottlingException")
        }

        /// Whether it was turned away unread for the time it was signed at, or for keys that have
        /// ended: one that is signed later on may pass.
        private var isOutdated: Bool {
            code == "RequestTimeTooSkewed" || code == "ExpiredToken"
        }

        /// What is wrong, where it is no answer that was expected.
        var error: SharedLogError {
            if mayPass || isOutdated { return .unavailable("The storage has answered \(code)") }
            if 300..<400 ~= status {
                return .refused("The bucket is at another address, or in another region (\(code)).")
            }
            return .refused("The storage has answered \(code).")
        }
    }

    /// Why there is no answer.
    enum S3Failure: Error, Sendable, Hashable {
        /// The request was not sent.
        case notSent(SharedLogError)
        /// It may have been carried out.
        case noAnswer(String)
        /// This end was closed meanwhile.
        case closed

        /// As seen by a call that may be repeated.
        var ofReading: SharedLogError {
            switch self {
            case .notSent(let error): error
            case .noAnswer(let why): .unavailable(why)
            case .closed: .closed
            }
        }
    }
#endif
