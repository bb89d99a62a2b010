public import Foundation

extension RealmError: LocalizedError {
    /// The same as ``description``, so that `localizedDescription` has it.
    public var errorDescription: String? { description }
}
