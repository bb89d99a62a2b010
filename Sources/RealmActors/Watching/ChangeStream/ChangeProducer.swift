import Storage

/// Makes the elements of one change stream, by comparing with the state that the consumer saw last.
///
/// Used by one consumer at a time, off its actor; it keeps values and keys, never a moment.
protocol ChangeProducer<Moment, Element>: Sendable {
    associatedtype Moment: Sendable
    associatedtype Element: Sendable

    /// The classes whose commits matter.
    var watched: Set<ClassID> { get }

    /// Why there can be no such stream, as when a key path is invalid; nil when there can.
    var failure: RealmError? { get }

    /// Whether the stream starts from an earlier version than that of its subscription, which
    /// could begin at `moment`.
    func startsBefore(_ moment: Moment) -> Bool

    /// Notes what the stream starts from: commits after `moment` will be reported. Returns what
    /// it has to deliver before any commit.
    mutating func begin(at moment: Moment) -> StreamBeginning

    /// The next element at `moment`, which the commits in `marks` led to.
    mutating func produce(_ marks: MergedMarks, at moment: Moment) throws(RealmError)
        -> Production<Element>
}

/// What a stream delivers before any commit.
enum StreamBeginning: Sendable {
    case nothing
    /// What is watched, as it is when the element is made.
    case state
    /// What had changed before the subscription began.
    case change
}

/// The result of producing an element.
enum Production<Element: Sendable>: Sendable {
    /// Nothing that the consumer would see has changed.
    case nothing
    case element(Element)
    /// The last element; the stream ends after it.
    case last(Element)
    /// The stream ends.
    case finished
}

extension ChangeProducer {
    var failure: RealmError? { nil }
    func startsBefore(_ moment: Moment) -> Bool { false }
}

/// Stands where there can be no producer: the stream throws why, and ends.
struct FailedProducer<Element: Sendable>: ChangeProducer {
    let failure: RealmError?

    var watched: Set<ClassID> { [] }

    mutating func begin(at moment: Snapshot) -> StreamBeginning { .state }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) throws(RealmError) -> Production<Element> {
        if let failure { throw failure }
        return .finished
    }
}
