#if S3
    /// The form in which a storage expects the tag of an object in the condition `If-Match`.
    enum S3TagForm: Sendable, CaseIterable {
        /// As it was received, with quotes: S3 requires them, and some storages refuse others.
        case asReceived
        /// Some storages compare the tag with one that has no quotes.
        case withoutQuotes

        /// The value of the condition for a tag that was received.
        func condition(_ tag: String) -> String {
            switch self {
            case .asReceived: tag
            case .withoutQuotes: tag.filter { $0 != "\"" }
            }
        }
    }
#endif
