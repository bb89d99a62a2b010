public import Foundation

extension RealmError: LocalizedError {
    /// What was wrong, with which value, and what to do: the same as ``description``, for those
    /// that ask an error for its `localizedDescription`.
    public var errorDescription: String? { description }
}
