#if S3
    import Foundation

    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif

    /// Signs requests with AWS Signature Version 4, including all headers that are set.
    struct S3Signature {
        /// The host as in an address, with the port unless it is the default.
        let host: String
        let region: String
        let keys: S3Credentials.Keys
        let date: Date

        /// The headers of a request, with those that sign it. `path` as in the address.
        func headers(of request: S3Request, path: String) -> [String: String] {
            let time = Self.time(date)
            let contents = Self.hex(SHA256.hash(data: request.body))
            var headers = request.headers
            headers["host"] = host
            headers["x-amz-date"] = time
            headers["x-amz-content-sha256"] = contents
            if let token = keys.sessionToken { headers["x-amz-security-token"] = token }
            let names = headers.keys.sorted()
            let signed = names.joined(separator: ";")
            let lines = names.map { name in
                "\(name):\((headers[name] ?? "").trimmingCharacters(in: .whitespaces))\n"
            }
            let canonical = [
                request.method.rawValue, path, request.query, lines.joined(), signed, contents,
            ].joined(separator: "\n")
            let day = String(time.prefix(8))
            let scope = "\(day)/\(region)/s3/aws4_request"
            let text = [
                "AWS4-HMAC-SHA256", time, scope,
                Self.hex(SHA256.hash(data: Array(canonical.utf8))),
            ].joined(separator: "\n")
            let signature = Self.hex(Self.code(text, key(of: day)))
            headers["authorization"] =
                "AWS4-HMAC-SHA256 Credential=\(keys.id)/\(scope), SignedHeaders=\(signed), "
                + "Signature=\(signature)"
            return headers
        }

        private func key(of day: String) -> SymmetricKey {
            let first = SymmetricKey(data: Array("AWS4\(keys.secret)".utf8))
            return [day, region, "s3", "aws4_request"].reduce(first) { key, part in
                SymmetricKey(data: Self.code(part, key))
            }
        }

        private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
            HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
        }

        private static func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        }

        /// The date as `20130524T000000Z`.
        private static func time(_ date: Date) -> String {
            date.formatted(
                Date.ISO8601FormatStyle(
                    dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted,
                    timeZone: .gmt))
        }
    }
#endif
