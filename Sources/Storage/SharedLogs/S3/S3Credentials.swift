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

            /// Whether requests can be signed with them: a line break, as at the end of a file,
            /// would end a header.
            fileprivate var areValid: Bool {
                let texts = [id, secret, sessionToken].compactMap { $0 }
                return texts.allSatisfy { text in
                    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
                }
            }

            package var description: String { "***" }
            package var customMirror: Mirror { Mirror(self, children: []) }
        }

        static let invalidKeys =
            "The credentials are empty, or have a line break or another control character."

        private let lookUp: @Sendable () throws -> Keys

        package init(_ lookUp: @escaping @Sendable () throws -> Keys) { self.lookUp = lookUp }

        package init(_ keys: Keys) { self.init { keys } }

        func keys() throws(SharedLogError) -> Keys {
            do {
                let keys = try lookUp()
                guard keys.areValid else { throw SharedLogError.refused(Self.invalidKeys) }
                return keys
            } catch let error as SharedLogError {
                throw error
            } catch {
                // Without its text, which may contain secrets.
                throw .unavailable("The credentials could not be looked up")
            }
        }
    }
#endif
