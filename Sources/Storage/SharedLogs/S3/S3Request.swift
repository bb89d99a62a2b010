#if S3
    /// What a bucket is asked for.
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
        /// By names in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// How large an answer may be, for the time that it may take.
        var answerBytes = 0

        /// The slowest line on which a large object passes.
        private static let bytesPerSecond = 64 << 10

        /// How long it may take, with `patience` beside its bytes.
        func limit(_ patience: Duration) -> Duration {
            patience + .seconds((body.count + answerBytes) / Self.bytesPerSecond)
        }

        init(_ method: Method, _ key: String) {
            self.method = method
            self.key = key
        }

        /// Whether nothing is changed.
        var isReading: Bool { method == .get }

        /// The parameters as they stand in an address.
        var query: String {
            parameters.map { parameter in
                Self.encoded(parameter.name) + "=" + Self.encoded(parameter.value)
            }.joined(separator: "&")
        }

        private static let digits = Array("0123456789ABCDEF")

        /// A text as an address has it, where nothing stands for itself but letters, digits, `-`,
        /// `.`, `_`, `~` and what else is `kept`.
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
