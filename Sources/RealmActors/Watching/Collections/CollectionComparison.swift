import Storage

/// Reads one collection at each moment and compares it with what was shown before.
protocol CollectionComparison<Collection>: Sendable {
    associatedtype Collection: ObservedCollection

    /// The classes whose commits matter.
    var watched: Set<ClassID> { get }

    /// The collection to begin with; nil when what holds it is gone.
    mutating func initial(_ moment: Snapshot) -> Collection?

    /// The change to the collection at `moment`, which the marks led to.
    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> Production<CollectionChange<Collection>>
}

/// Makes the elements of a collection's change stream.
struct CollectionProducer<C: ObservedCollection>: ChangeProducer {
    private var comparison: Result<any CollectionComparison<C>, RealmError>
    private var hasStarted = false
    let watched: Set<ClassID>

    /// A comparison, or why there can be none.
    init(_ comparison: Result<any CollectionComparison<C>, RealmError>) {
        self.comparison = comparison
        watched = (try? comparison.get())?.watched ?? []
    }

    var failure: RealmError? {
        if case .failure(let error) = comparison { error } else { nil }
    }

    mutating func begin(at moment: Snapshot) -> Bool { true }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) throws(RealmError) -> Production<CollectionChange<C>> {
        var comparison = try comparison.get()
        // Taken out while it changes, so that the keys it keeps are changed in place.
        self.comparison = .failure(.closed)
        defer { self.comparison = .success(comparison) }
        if hasStarted { return comparison.change(marks, moment) }
        hasStarted = true
        return comparison.initial(moment).map { .element(.initial($0)) } ?? .finished
    }
}

extension PositionChange {
    /// The production that delivers this change, if there is one.
    func production<C: ObservedCollection>(
        of collection: C
    ) -> Production<CollectionChange<C>> where C.Position == Int {
        if isEmpty { return .nothing }
        return .element(
            .update(
                collection, deletions: deletions, insertions: insertions,
                modifications: modifications))
    }
}
