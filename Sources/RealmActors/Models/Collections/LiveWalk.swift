import Storage

/// Iterates over the rows that existed when it began, while its tree may change; skips deleted
/// ones, and reuses one accessor while it is uniquely referenced.
@usableFromInline
struct LiveWalk {
    private let context: LiveContext
    private let model: ModelBinding
    /// The rows to iterate over; nil for a whole class in the order of creation.
    private var keys: IndexingIterator<[RowKey]>?
    /// In a whole class, the first key of rows that were created later.
    private let end: RowKey
    /// In a whole class, the lower bound of the next key.
    private var following = RowKey(.min)
    /// The present position, and the generation of the tree in which it was found.
    private var place: RowLocation?
    /// Retains the row's cluster if the tree does not.
    private var keeper: NodeKeeper?
    private var generation: UInt64 = 0
    private var current: ObjectBase?

    init(keys: [RowKey], of model: ModelBinding, in context: LiveContext) {
        self.context = context
        self.model = model
        self.keys = keys.makeIterator()
        end = RowKey(.max)
    }

    /// Iterates over a whole class in the order of creation.
    init(all model: ModelBinding, in context: LiveContext) {
        self.context = context
        self.model = model
        end = context.rows(model.classID).nextKey
    }

    /// The next object.
    @usableFromInline
    mutating func next() -> ObjectBase? {
        guard let key = keys == nil ? nextInClass() : nextOfKeys(), let place else { return nil }
        if model.canReuseAccessors, isKnownUniquelyReferenced(&current), let current,
            current.__state == AccessorState.live
        {
            current.__key = key
            show(place, in: current)
            return current
        }
        let object = model.makeAccessor(live: context, key)
        show(place, in: object)
        current = object
        return object
    }

    private func show(_ place: RowLocation, in object: ObjectBase) {
        object._point(at: place.cluster, place.slot, isTransient: keeper != nil)
        // The kept values are those of the previous row; in a write none are kept.
        if context.isInWrite { object._forgetSeen() }
        object._note(context)
    }

    private mutating func move(to row: consuming RowHold?) {
        guard let (location, keeper) = row?.keep() else {
            place = nil
            return
        }
        place = location
        self.keeper = keeper
    }

    private mutating func nextInClass() -> RowKey? {
        if let place, generation == context.generation,
            let slot = place.cluster.firstLiveSlot(from: place.slot + 1)
        {
            self.place = RowLocation(cluster: place.cluster, slot: slot)
        } else {
            move(to: context.rows(model.classID).location(from: following))
            generation = context.generation
        }
        guard let place else { return nil }
        let key = place.cluster.key(place.slot)
        following = RowKey(key.rawValue + 1)
        return key < end ? key : nil
    }

    private mutating func nextOfKeys() -> RowKey? {
        while let key = keys?.next() {
            if let place, generation == context.generation,
                let slot = place.cluster.slot(of: key)
            {
                self.place = RowLocation(cluster: place.cluster, slot: slot)
                return key
            }
            move(to: context.locate(model.classID, key))
            generation = context.generation
            if place != nil { return key }
        }
        return nil
    }
}
