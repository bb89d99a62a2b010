#if S3
    /// A request to a bucket.
    struct S3Request: Sendable {
        enum Method: String, Sendable {
            case get = "GET"
            case put = "PUT"
            case delete = "DELETE"
        }

        struct Parameter: Sendable {
            let name: String
            let value: String
        }

        let method: Method
        /// The name of the object; empty for the bucket.
        let key: String
        /// In the order of their names.
        var parameters: [Parameter] = []
        /// By name in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// The expected size of the answer, for the time limit.
        var answerBytes = 0
        /// Whether it writes an entry: the outcome of commits depends on its answer.
        var isAppend = false

        /// The minimum transfer rate of large objects.
        private static let bytesPerSecond = 64 << 10

        /// The time limit for the beginning of the answer: `timeout`, and the time of the upload.
        func answerLimit(_ timeout: Duration) -> Duration {
            timeout + .seconds(body.count / Self.bytesPerSecond)
        }

        /// The time limit: `timeout`, and the time of the transfer.
        func limit(_ timeout: Duration) -> Duration {
            timeout + .seconds((body.count + answerBytes) / Self.bytesPerSecond)
        }

        init(_ method: Method, _ key: String) {
            self.method = method
            self.key = key
        }

        /// The parameters, encoded for an address.
        var query: String {
            parameters.map { parameter in
                Self.encoded(parameter.name) + "=" + Self.encoded(parameter.value)
            }.joined(separator: "&")
        }

        private static let digits = Array("0123456789ABCDEF")

        /// A percent-encoded text, except letters, digits, `-`, `.`, `_`, `~` and the characters in
        /// `kept`.
        static func encoded(_ text: String, keeping kept: String = "") -> String {
            var result = ""
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: "~"):
                    result.append(Character(UnicodeScalar(byte)))
                case _ where kept.utf8.contains(byte):
                    result.append(Character(UnicodeScalar(byte)))
                default:
                    result.append("%")
                    result.append(digits[Int(byte >> 4)])
                    result.append(digits[Int(byte & 15)])
                }
            }
            return result
        }
    }
#endif
