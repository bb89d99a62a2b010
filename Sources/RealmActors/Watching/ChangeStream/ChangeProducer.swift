import Storage

/// Makes the elements of one change stream, by comparison with the state that the consumer saw
/// last.
///
/// Used by one consumer at a time, off its actor. It keeps values and keys, never a moment, which
/// would hold a version.
protocol ChangeProducer<Moment, Element>: Sendable {
    associatedtype Moment: Sendable
    associatedtype Element: Sendable

    /// The classes whose commits matter.
    var watched: Set<ClassID> { get }

    /// The commits that matter: those of ``watched``, or fewer of them.
    var interest: CommitInterest { get }

    /// Why the stream cannot exist, for example an invalid key path; nil if it can.
    var failure: RealmError? { get }

    /// Whether the stream starts from a version before `moment`, at which its subscription would
    /// begin.
    func startsBefore(_ moment: Moment) -> Bool

    /// Notes the state that the stream starts from: commits after `moment` will be reported.
    /// Returns what it must deliver before any commit.
    mutating func begin(at moment: Moment) -> StreamBeginning

    /// The next element at `moment`, which the commits in `marks` led to.
    mutating func produce(_ marks: MergedMarks, at moment: Moment) throws(RealmError)
        -> ProducerResult<Element>
}

/// What a stream delivers before any commit.
enum StreamBeginning: Sendable {
    case nothing
    /// The state when the element is made.
    case state
    /// The changes between the stream's start and its subscription.
    case change
}

/// The result of producing an element.
enum ProducerResult<Element: Sendable>: Sendable {
    /// No visible change; no element.
    case nothing
    case element(Element)
    /// The last element; the stream ends after it.
    case last(Element)
    /// The stream ends.
    case finished
}

extension ChangeProducer {
    var interest: CommitInterest { .classes(watched) }
    var failure: RealmError? { nil }
    func startsBefore(_ moment: Moment) -> Bool { false }
}

/// The producer of a stream that cannot exist: the stream throws the reason, and ends.
struct FailedProducer<Element: Sendable>: ChangeProducer {
    let failure: RealmError?

    var watched: Set<ClassID> { [] }

    mutating func begin(at moment: Snapshot) -> StreamBeginning { .state }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) throws(RealmError) -> ProducerResult<Element> {
        if let failure { throw failure }
        return .finished
    }
}
