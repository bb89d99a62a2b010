import Storage
import Synchronization
import Testing

@testable import RealmActors

/// One change as text: `name` `dog -`, where `-` stands for no values; `deleted`; `end`.
func summary<T: ObjectBase>(_ change: ObjectChange<T>?) -> String {
    switch change {
    case .change(_, let properties)?:
        properties.map { $0.newValue == nil ? "\($0.name) -" : $0.name }.joined(separator: ", ")
    case .deleted?: "deleted"
    case nil: "end"
    }
}

/// One change as text: `initial 3`, `-[0] +[] ~[1]`, `end`.
func summary<C>(_ change: CollectionChange<C>?) -> String where C: Collection {
    switch change {
    case .initial(let collection)?: "initial \(collection.count)"
    case .update(_, let deletions, let insertions, let modifications)?:
        "-\(deletions) +\(insertions) ~\(modifications)"
    case nil: "end"
    }
}

/// Requests the present element of a stream without waiting, so that its absence can be tested too.
final class StreamProbe<Element: Sendable>: CommitSubscriber {
    private struct State {
        var producer: any ChangeProducer<Snapshot, Element>
        var marks: PendingMarks
    }

    let interest: CommitInterest
    private let hub: CommitHub<Snapshot>
    private let watched: Set<ClassID>
    private let state: Mutex<State>

    init(_ stream: ChangeStream<Element>) {
        hub = stream.hub
        let producer = stream.producer
        watched = producer.watched
        interest = producer.interest
        state = Mutex(State(producer: producer, marks: PendingMarks(of: interest.row)))
        guard let moment = hub.subscribe(self) else { return }
        state.withLock { _ = $0.producer.begin(at: moment) }
    }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        state.withLock { _ = $0.marks.note(changes, watched: watched) }
        return nil
    }

    func ended(_ error: RealmError?) {}

    /// The present element; nil when there is none.
    func next() throws -> Element? {
        let captured = hub.capture { _ in
            state.withLock { state in
                defer { state.marks = PendingMarks(of: interest.row) }
                return state.marks
            }
        }
        let (moment, marks) = try #require(captured)
        switch try state.withLock({ try $0.producer.produce(marks.merged(), at: moment) }) {
        case .nothing, .finished: return nil
        case .element(let element), .last(let element): return element
        }
    }
}

extension ChangeStream {
    func probe<T>() -> StreamProbe<Element> where Element == ObjectChange<T> { StreamProbe(self) }

    /// The probe, after the first element.
    func probe<C>() throws -> StreamProbe<Element> where Element == CollectionChange<C> {
        let probe = StreamProbe(self)
        _ = try probe.next()
        return probe
    }
}

extension StreamProbe {
    /// The present element as text; the empty text when there is none.
    func nextSummary<T: ObjectBase>() throws -> String where Element == ObjectChange<T> {
        try next().map { summary($0) } ?? ""
    }

    /// The present element as text; the empty text when there is none.
    func nextSummary<C: Collection>() throws -> String where Element == CollectionChange<C> {
        try next().map { summary($0) } ?? ""
    }
}

/// Four streams of the same key paths, as text and in Swift, of the owner and of all owners.
struct KeyPathProbes {
    private let objects: [StreamProbe<ObjectChange<RowOwner>>]
    private let collections: [StreamProbe<CollectionChange<FrozenResults<RowOwner>>>]

    init(_ world: RowWorld, _ texts: [String], _ keyPaths: [PartialKeyPath<RowOwner>]?) throws {
        let owner = try world.owner
        let owners = world.realm.objects(RowOwner.self)
        var objects = [owner.changes(keyPaths: texts).probe()]
        var collections = [try owners.changes(keyPaths: texts).probe()]
        if let keyPaths {
            objects.append(owner.changes(keyPaths: keyPaths).probe())
            collections.append(try owners.changes(keyPaths: keyPaths).probe())
        }
        self.objects = objects
        self.collections = collections
    }

    /// The elements of all of them: the properties of the owner, or the empty text; the texts
    /// joined when they disagree.
    func nextSummary() throws -> String {
        var summaries = Set(try objects.map { try $0.nextSummary() })
        for collection in collections {
            let text = try collection.nextSummary()
            if summaries.count == 1, (text == "-[] +[] ~[0]") == (summaries != [""]) { continue }
            summaries.insert("owners: " + text)
        }
        return summaries.sorted().joined(separator: " | ")
    }
}

/// Collects what commits touch.
final class MarkCatcher: CommitSubscriber {
    let interest = CommitInterest.everything
    private let hub: CommitHub<Snapshot>
    private let watched: Set<ClassID>
    private let marks = Mutex(PendingMarks())

    init(_ hub: CommitHub<Snapshot>, _ snapshot: Snapshot) {
        self.hub = hub
        watched = Set(snapshot.view.schema.classes.indices.map { ClassID($0) })
        _ = hub.subscribe(self)
    }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        marks.withLock { _ = $0.note(changes, watched: watched) }
        return nil
    }

    func ended(_ error: RealmError?) {}

    /// What was touched since this was asked last, and the version that it led to.
    func take() throws -> (moment: Snapshot, marks: MergedMarks) {
        let captured = hub.capture { _ in
            self.marks.withLock { marks in
                defer { marks = PendingMarks() }
                return marks
            }
        }
        let (moment, marks) = try #require(captured)
        return (moment, marks.merged())
    }
}
