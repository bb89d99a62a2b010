import Storage
import Synchronization

@testable import RealmActors

/// An element of a watched collection: its identity, and its value.
struct ExactElement<ID: Hashable & Sendable>: Equatable, Sendable {
    let id: ID
    let text: String

    init(_ id: ID, _ text: String) {
        self.id = id
        self.text = text
    }
}

/// Compares the changes of a stream with the present collection.
protocol ExactWatching: Sendable {
    var name: String { get }
    /// What is wrong with the stream's next element, or with its silence; nil when nothing is.
    func check() throws -> String?
}

/// Makes the elements of a stream without waiting for them, so that the absence of an element can
/// be tested too.
final class ExactWatcher<C: ObservedCollection, ID: Hashable & Sendable>: ExactWatching,
    CommitSubscriber
{
    private struct State: Sendable {
        var producer: any ChangeProducer<Snapshot, CollectionChange<C>>
        var marks: PendingMarks
        var shown: [ExactElement<ID>] = []
    }

    let name: String
    let interest: CommitInterest
    private let hub: CommitHub<Snapshot>
    private let watched: Set<ClassID>
    private let isDeep: Bool
    private let state: Mutex<State>
    private let elements: @Sendable (C) -> [ExactElement<ID>]
    private let fresh: @Sendable (Snapshot) -> [ID]?

    /// Watches a collection; `isDeep` says that whatever an element shows is watched.
    init(
        _ name: String, _ changes: CollectionChanges<C>, isDeep: Bool = false,
        _ elements: @escaping @Sendable (C) -> [ExactElement<ID>],
        fresh: @escaping @Sendable (Snapshot) -> [ID]?
    ) {
        self.name = name
        hub = changes.hub
        let producer = changes.producer
        watched = producer.watched
        interest = producer.interest
        self.isDeep = isDeep
        state = Mutex(State(producer: producer, marks: PendingMarks(of: interest.row)))
        self.elements = elements
        self.fresh = fresh
        _ = hub.subscribe(self)
    }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        state.withLock { _ = $0.marks.note(changes, watched: watched) }
        return nil
    }

    func ended(_ error: RealmError?) {}

    func check() throws -> String? {
        let captured = hub.capture { _ in
            state.withLock { state in
                defer { state.marks = PendingMarks(of: interest.row) }
                return state.marks
            }
        }
        guard let (moment, marks) = captured else { return "its store is gone" }
        return try state.withLock { state in
            let old = state.shown
            let present = fresh(moment) ?? []
            switch try state.producer.produce(marks.merged(), at: moment) {
            case .nothing:
                return old.map(\.id) == present ? nil : "silent, though \(old) became \(present)"
            case .element(.initial(let collection)), .last(.initial(let collection)):
                state.shown = elements(collection)
                return state.shown.map(\.id) == present ? nil : "begins with \(state.shown)"
            case .element(let change), .last(let change):
                state.shown = elements(change.collection)
                if state.shown.map(\.id) != present { return "\(state.shown) for \(present)" }
                return complaint(change, old, state.shown)
            case .finished: return "ended"
            }
        }
    }

    private func complaint(
        _ change: CollectionChange<C>, _ old: [ExactElement<ID>], _ new: [ExactElement<ID>]
    ) -> String? {
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return nil
        }
        func positions(_ reported: [C.Position], _ all: [ExactElement<ID>]) -> [Int] {
            reported.compactMap { position in
                position as? Int ?? all.firstIndex { $0.id as? String == position as? String }
            }
        }
        let deleted = positions(deletions, old)
        let inserted = positions(insertions, new)
        let modified = positions(modifications, old)
        let later = positions(change.newModifications, new)
        if deleted != deleted.sorted() || inserted != inserted.sorted()
            || modified != modified.sorted()
        {
            return "positions do not ascend: \(change)"
        }
        if !Set(deleted).isDisjoint(with: modified) { return "deleted and modified: \(change)" }
        var replayed = old
        // A replaced element of a list is a modification too.
        for (before, after) in zip(modified, later) { replayed[before] = new[after] }
        for position in deleted.reversed() { replayed.remove(at: position) }
        for position in inserted { replayed.insert(new[position], at: position) }
        if replayed.map(\.id) != new.map(\.id) { return "\(replayed) instead of \(new)" }
        if isDeep, replayed != new { return "a modification was not reported: \(change)" }
        return nil
    }
}
