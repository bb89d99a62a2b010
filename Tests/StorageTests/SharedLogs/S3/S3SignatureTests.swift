#if S3
    import Foundation
    import Testing

    @testable import Storage

    /// The examples in the documentation of AWS signatures.
    @Suite struct S3SignatureTests {
        private static let keys = S3Credentials.Keys(
            id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

        private static func signature(
            _ request: S3Request, path: String, _ keys: S3Credentials.Keys = keys
        ) -> String {
            // 24 May 2013, 0:00 UTC.
            let signature = S3Signature(
                host: "examplebucket.s3.amazonaws.com", region: "us-east-1", keys: keys,
                date: Date(timeIntervalSince1970: 1_369_353_600))
            return signature.headers(of: request, path: path)["authorization"] ?? ""
        }

        @Test func aPartOfAnObjectIsRead() {
            var request = S3Request(.get, "test.txt")
            request.headers["range"] = "bytes=0-9"
            #expect(
                Self.signature(request, path: "/test.txt")
                    == "AWS4-HMAC-SHA256 "
                    + "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                    + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                    + "Signature="
                    + "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        }

        @Test func anObjectIsWritten() {
            var request = S3Request(.put, "test$file.text")
            request.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT"
            request.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY"
            request.body = Array("Welcome to Amazon S3.".utf8)
            let path = "/" + S3Request.encoded(request.key, keeping: "/")
            #expect(path == "/test%24file.text")
            #expect(
                Self.signature(request, path: path).hasSuffix(
                    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
        }

        @Test func aSettingOfABucketIsRead() {
            var request = S3Request(.get, "")
            request.parameters = [.init(name: "lifecycle", value: "")]
            #expect(
                Self.signature(request, path: "/").hasSuffix(
                    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"))
        }

        @Test func objectsAreListed() {
            var request = S3Request(.get, "")
            request.parameters = [
                .init(name: "max-keys", value: "2"), .init(name: "prefix", value: "J"),
            ]
            #expect(
                Self.signature(request, path: "/").hasSuffix(
                    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"))
        }

        @Test func aSessionIsSignedAsWell() {
            let keys = S3Credentials.Keys(id: "id", secret: "secret", sessionToken: "token")
            let text = Self.signature(S3Request(.get, "a"), path: "/a", keys)
            #expect(text.contains("x-amz-date;x-amz-security-token,"))
        }

        @Test func keysAreNotDescribed() {
            for text in ["\(Self.keys)", String(reflecting: Self.keys), "\([Self.keys])"] {
                #expect(!text.contains("AKIA") && !text.contains("wJalr"), "\(text)")
            }
            var dumped = ""
            dump(Self.keys, to: &dumped)
            dump(S3Credentials(Self.keys), to: &dumped)
            #expect(!dumped.contains("AKIA") && !dumped.contains("wJalr"), "\(dumped)")
        }
    }
#endif
