#if S3
    /// Who asks an object storage: looked up for each request, since what a role of a machine has
    /// ends after some hours.
    package struct S3Credentials: Sendable {
        /// What requests are signed with. No description shows it.
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
                // Not with its text, which may say anything.
                throw .unavailable("The credentials could not be looked up")
            }
        }
    }
#endif
