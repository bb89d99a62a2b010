import Storage

/// A frozen collection that is read from the object it belongs to.
protocol OwnedCollection: ObservedCollection {
    /// The contents that are compared.
    associatedtype Contents
    /// Compares the collection of a property.
    associatedtype PropertyTracker: ContentsTracker<Contents, Position>
    /// Compares a collection within the value of a property.
    associatedtype NestedTracker: ContentsTracker<Contents, Position>

    init(_ source: FrozenSource)
    var contents: Contents { get }
}

/// The last delivered state of one collection, and its difference from the next.
protocol ContentsTracker<Contents, Position>: Sendable {
    associatedtype Contents
    associatedtype Position: Sendable, Hashable

    /// `finder` finds modifications of the objects in the collection; nil when they are values.
    init(_ reader: OwnedReader, _ finder: ModificationFinder?)

    /// The classes whose commits matter, besides that of the owner.
    var watched: Set<ClassID> { get }

    /// Starts over from a state.
    mutating func reset(_ contents: Contents, in graph: some LinkGraph)

    /// The change from the state before to `contents`, which the marks led to.
    mutating func update(
        _ contents: Contents, marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChanges<Position>

    /// The change by marks that do not include the collection itself: modifications of its objects.
    mutating func modify(
        by marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChanges<Position>

    /// The positions of all elements that were delivered, when the owner was deleted.
    mutating func clear() -> [Position]
}

/// Compares a list, set or map of an object, or one within the value of a property.
struct OwnedComparison<
    Collection: OwnedCollection, Tracker: ContentsTracker<Collection.Contents, Collection.Position>
>: CollectionComparison {
    private let reader: OwnedReader
    private var tracker: Tracker

    init(_ reader: OwnedReader, _ finder: ModificationFinder?) {
        self.reader = reader
        tracker = Tracker(reader, finder)
    }

    var watched: Set<ClassID> { tracker.watched.union([reader.model.classID]) }

    /// Of the values of a property, only commits of the owner's row matter.
    var interest: CommitInterest {
        let isOfValues = tracker.watched.isEmpty && reader.place == nil
        return isOfValues ? .row(reader.key, of: reader.model.classID) : .classes(watched)
    }

    func refusal(at moment: Snapshot) -> RealmError? {
        reader.isAhead(of: moment) && reader.source(moment) == nil
            ? .changesInsideWrite(reader.model.type) : nil
    }

    mutating func initial(_ moment: Snapshot) -> Collection? {
        guard reader.owner.isThere(at: moment), let source = reader.source(moment) else {
            return nil
        }
        let collection = Collection(source)
        tracker.reset(collection.contents, in: TreeGraph(view: moment.view))
        return collection
    }

    mutating func change(
        _ marks: MergedMarks, _ moment: Snapshot
    ) -> ProducerResult<CollectionChange<Collection>> {
        let isOwned = reader.owner.isThere(at: moment, marks)
        guard isOwned, let source = reader.source(moment) else {
            // The owner was deleted: deliver the deletion of all elements, then end the stream.
            let change = PositionChanges(deletions: tracker.clear())
            if change.isEmpty { return .finished }
            let nothing = reader.nothing(moment, isOwned: isOwned)
            return .last(change.update(Collection(nothing)))
        }
        let collection = Collection(source)
        let graph = TreeGraph(view: moment.view)
        // Contents that were not written must not be compared: NaN differs from itself.
        let change =
            reader.isWritten(by: marks)
            ? tracker.update(collection.contents, marks: marks, in: graph)
            : tracker.modify(by: marks, in: graph)
        return change.production(of: collection)
    }
}

/// Reads the collection of a property, or one within its value, at each moment.
struct OwnedReader: Sendable {
    let model: ModelBinding
    let key: RowKey
    let owner: RowIdentity
    let column: Int
    /// The place of a collection within the value of the property.
    let place: NestedPath?
    /// The version in which the stream was made.
    private let origin: VersionMoment

    init(_ source: FrozenSource, in context: FrozenContext) {
        let model: ModelBinding = source.owner.__model
        self.model = model
        key = source.owner.__key
        owner = RowIdentity(of: source.owner, in: context)
        column = source.column
        place = source.detail?.place
        origin = context.snapshot.root.moment
    }

    /// Whether the stream was made inside a write that is not visible at `latest`, the newest
    /// version.
    func isAhead(of latest: Snapshot) -> Bool { latest.root.moment.precedes(origin) }

    /// Whether the collection's property was written.
    func isWritten(by marks: MergedMarks) -> Bool {
        marks.isEverything
            || marks.columns(of: key, in: model.classID).contains(ColumnID(column))
    }

    /// The collection at a moment; nil when it was deleted.
    func source(_ moment: Snapshot) -> FrozenSource? {
        guard let owner = moment.context.object(model, key) else { return nil }
        guard let place else { return FrozenSource(owner: owner, column: column) }
        let found = place.place(in: owner, column)
        guard found.stored != nil else { return nil }
        let detail = FrozenDetail(place: place, elements: found.frozenElements)
        return FrozenSource(owner: owner, column: column, detail)
    }

    /// Replaces a deleted collection: an empty one in the same place, which can be queried, watched
    /// and thawed like any other. `isOwned` says whether its owner exists: if not, its row may be
    /// that of another object.
    func nothing(_ moment: Snapshot, isOwned: Bool) -> FrozenSource {
        let elements = LooseElements([StoredValue](), account: moment.root.account)
        let owner = model.makeAccessor(frozen: moment.context, key, .missing)
        if !isOwned { owner._loseRow() }
        return FrozenSource(
            owner: owner, column: column, FrozenDetail(place: place, elements: elements))
    }
}

extension FrozenSource {
    /// The changes of this list, set or map. Key paths define when an object in it counts as
    /// modified.
    func changes<C: OwnedCollection>(
        _ names: () throws(RealmError) -> [[String]] = { [] }
    ) -> CollectionChanges<C> {
        guard let context = owner.__context as? FrozenContext else {
            preconditionFailure("A frozen collection belongs to a frozen object.")
        }
        let schema = context.view.schema[owner.__model.classID]
        return ChangeStream(context.snapshot.hub) { () throws(RealmError) in
            if let failure = detail?.failure { throw failure }
            var finder: ModificationFinder?
            if let target = schema.columns[column].target {
                finder = try context.finder(names(), root: target)
            }
            let reader = OwnedReader(self, in: context)
            if reader.place == nil {
                return CollectionProducer(
                    OwnedComparison<C, C.PropertyTracker>(reader, finder))
            }
            return CollectionProducer(OwnedComparison<C, C.NestedTracker>(reader, finder))
        }
    }
}
