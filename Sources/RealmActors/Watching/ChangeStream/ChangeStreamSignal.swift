/// What the consumer of a change stream gets when it requests the next element.
enum ChangeStreamSignal: Equatable {
    /// There are commits for an element.
    case due
    /// The stream ends.
    case finished
    /// The stream ends with an error.
    case failed(RealmError)
}
