/// What the consumer of a change stream gets when it asks for the next element.
enum ChangeStreamSignal: Equatable {
    /// Something came: make an element of it.
    case due
    /// The stream ends.
    case finished
    /// The stream ends with an error.
    case failed(RealmError)
}
