import Storage

/// Reads one collection at each moment and compares it with its previous state.
protocol CollectionComparison: Sendable {
    associatedtype Collection: ObservedCollection

    /// The classes whose commits matter.
    var watched: Set<ClassID> { get }

    /// The commits that matter: those of ``watched``, or fewer of them.
    var interest: CommitInterest { get }

    /// Why a subscription cannot begin at `moment`; nil when it can.
    func refusal(at moment: Snapshot) -> RealmError?

    /// The collection to begin with; nil when its owner was deleted.
    mutating func initial(_ moment: Snapshot) -> Collection?

    /// The change to the collection at `moment`, which the marks led to.
    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<Collection>>
}

extension CollectionComparison {
    var interest: CommitInterest { .classes(watched) }
    func refusal(at moment: Snapshot) -> RealmError? { nil }
}

/// Makes the elements of a collection's change stream.
struct CollectionProducer<Comparison: CollectionComparison>: ChangeProducer {
    private var comparison: Comparison
    private var hasStarted = false
    private var refusal: RealmError?
    let watched: Set<ClassID>

    init(_ comparison: Comparison) {
        self.comparison = comparison
        watched = comparison.watched
    }

    var interest: CommitInterest { comparison.interest }

    mutating func begin(at moment: Snapshot) -> StreamBeginning {
        refusal = comparison.refusal(at: moment)
        return .state
    }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) throws(RealmError) -> ProducerResult<CollectionChange<Comparison.Collection>> {
        if let refusal { throw refusal }
        if hasStarted { return comparison.change(marks, moment) }
        hasStarted = true
        return comparison.initial(moment).map { .element(.initial($0)) } ?? .finished
    }
}

extension PositionChanges {
    /// The production that delivers this change, if there is one.
    func production<C: ObservedCollection>(
        of collection: C
    ) -> ProducerResult<CollectionChange<C>> where C.Position == Position {
        isEmpty ? .nothing : .element(update(collection))
    }

    /// The element of a stream that delivers this change.
    func update<C: ObservedCollection>(
        _ collection: C
    ) -> CollectionChange<C> where C.Position == Position {
        .update(
            collection, deletions: deletions, insertions: insertions,
            modifications: modifications)
    }
}

extension ProducerResult {
    /// The same production with another form of the collection, in which positions are the same.
    func mapped<Base: ObservedCollection, Other: ObservedCollection>(
        _ transform: (Base) -> Other
    ) -> ProducerResult<CollectionChange<Other>>
    where Element == CollectionChange<Base>, Base.Position == Other.Position {
        switch self {
        case .nothing: .nothing
        case .finished: .finished
        case .element(let change): .element(change.mapped(transform))
        case .last(let change): .last(change.mapped(transform))
        }
    }
}

extension CollectionChange {
    fileprivate func mapped<Other: ObservedCollection>(
        _ transform: (C) -> Other
    ) -> CollectionChange<Other> where C.Position == Other.Position {
        switch self {
        case .initial(let collection): .initial(transform(collection))
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                transform(collection), deletions: deletions, insertions: insertions,
                modifications: modifications)
        }
    }
}
