public import Foundation
public import RealmActors

/// A type of somebody else's that is stored as a text.
extension URL: FailableCustomPersistable {
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: String { absoluteString }
}
