import Foundation
import Storage

extension Realm.SharedLog {
    /// The credentials of requests to an object storage. No description and no error shows them.
    ///
    ///     .environment
    ///     .keys("AKIA...", secret: secret)
    ///     .lookedUp { try vault.currentKeys() }
    public struct S3Credentials: Sendable {
        struct Keys {
            let id: String
            let secret: String
            let sessionToken: String?
        }

        let keys: @Sendable () throws -> Keys

        /// An access key with its secret, and the token of the session that they are for, if any.
        public static func keys(
            _ accessKey: String, secret: String, sessionToken: String? = nil
        ) -> S3Credentials {
            S3Credentials { Keys(id: accessKey, secret: secret, sessionToken: sessionToken) }
        }

        /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if it is set, `AWS_SESSION_TOKEN` of
        /// the process's environment.
        public static let environment = S3Credentials {
            let variables = ProcessInfo.processInfo.environment
            guard let id = variables["AWS_ACCESS_KEY_ID"], !id.isEmpty,
                let secret = variables["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
            else {
                throw SharedLogError.refused(
                    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set.")
            }
            let token = variables["AWS_SESSION_TOKEN"] ?? ""
            return Keys(id: id, secret: secret, sessionToken: token.isEmpty ? nil : token)
        }

        /// The credentials that `lookUp` returns, for credentials that expire. It is called for
        /// each request, on any thread, and must return cached ones without waiting for newer ones.
        /// When it throws, the log counts as unreachable.
        public static func lookedUp(
            by lookUp: @escaping @Sendable () throws -> S3Credentials
        ) -> S3Credentials {
            S3Credentials { try lookUp().keys() }
        }
    }
}

extension Realm.SharedLog.S3Credentials: CustomStringConvertible, CustomReflectable {
    /// A fixed text without the credentials.
    public var description: String { "S3Credentials" }

    /// A fixed text without the credentials.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
