#if S3
    /// The credentials for an object storage, looked up for each request, since those of a
    /// machine's role expire after some hours.
    package struct S3Credentials: Sendable {
        /// The keys that requests are signed with. Descriptions do not show them.
        package struct Keys: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
            let id: String
            let secret: String
            let sessionToken: String?

            package init(id: String, secret: String, sessionToken: String? = nil) {
                self.id = id
                self.secret = secret
                self.sessionToken = sessionToken
            }

            package var description: String { "***" }
            package var customMirror: Mirror { Mirror(self, children: []) }
        }

        private let lookUp: @Sendable () throws -> Keys

        package init(_ lookUp: @escaping @Sendable () throws -> Keys) { self.lookUp = lookUp }

        package init(_ keys: Keys) { self.init { keys } }

        func keys() throws(SharedLogError) -> Keys {
            do {
                return try lookUp()
            } catch let error as SharedLogError {
                throw error
            } catch {
                // Without its text, which may contain secrets.
                throw .unavailable("The credentials could not be looked up")
            }
        }
    }
#endif
