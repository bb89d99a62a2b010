public import Foundation
public import RealmActors

/// A type of somebody else's that is stored as a text.
extension URL: FailableCustomPersistable {
    /// The URL that a text is.
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    /// The text of the URL.
    public var persistableValue: String { absoluteString }
}
