#if S3
    import Foundation
    import Testing

    @testable import Storage

    /// Credentials and buckets that are refused before any request.
    @Suite struct S3CredentialsTests {
        private struct Failure: Error, CustomStringConvertible {
            let description = "swordfish"
        }

        /// Before any request, and without the text of the error.
        @Test func missingCredentialsAreReported() throws {
            let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
            let reason = "The credentials could not be looked up"
            #expect(throws: SharedLogError.unavailable(reason)) {
                try S3SharedLog(
                    endpoint: endpoint, bucket: "b", region: "r", realm: "realm",
                    credentials: S3Credentials { throw Failure() })
            }
        }

        /// Before any request. A line break, as at the end of a file, ended the header.
        @Test func invalidCredentialsAreRefused() throws {
            let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
            for keys in [
                S3Credentials.Keys(id: "AKIA\n", secret: "swordfish"),
                S3Credentials.Keys(id: "AKIA", secret: "swordfish\n"),
                S3Credentials.Keys(id: "AKIA", secret: ""),
                S3Credentials.Keys(id: "AKIA", secret: "swordfish", sessionToken: "a\r\nb: c"),
            ] {
                #expect(throws: SharedLogError.refused(S3Credentials.invalidKeys)) {
                    try S3SharedLog(
                        endpoint: endpoint, bucket: "b", region: "r", realm: "realm",
                        credentials: S3Credentials(keys))
                }
            }
        }

        @Test(arguments: [("", "r"), ("b", ""), ("b", "r\n"), ("b c", "r")])
        func invalidPlacesAreRefused(_ bucket: String, _ region: String) throws {
            let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
            #expect {
                try S3SharedLog(
                    endpoint: endpoint, bucket: bucket, region: region, realm: "realm",
                    credentials: S3Credentials(S3Credentials.Keys(id: "id", secret: "secret")))
            } throws: { error in
                if case SharedLogError.refused = error { true } else { false }
            }
        }
    }
#endif
