import Storage

/// Compares what is shown of the objects of a list or set.
struct ProjectedElementsComparison<Value: Sendable>: CollectionComparison {
    /// The links are compared, also those of a set, so that the class of the objects is irrelevant.
    private var base: OwnedComparison<FrozenList<Frozen<ObjectBase>>, SequenceTracker>
    private let property: any ElementProperty<Value>

    init(
        _ reader: OwnedReader, _ finder: ModificationFinder?,
        _ property: any ElementProperty<Value>
    ) {
        base = OwnedComparison(reader, finder)
        self.property = property
    }

    var watched: Set<ClassID> { base.watched }

    var interest: CommitInterest { base.interest }

    func refusal(at moment: Snapshot) -> RealmError? { base.refusal(at: moment) }

    mutating func initial(_ moment: Snapshot) -> FrozenProjectedCollection<Value>? {
        base.initial(moment).map { FrozenProjectedCollection(property, of: $0.source) }
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<FrozenProjectedCollection<Value>>> {
        base.change(marks, moment).mapped { FrozenProjectedCollection(property, of: $0.source) }
    }
}
