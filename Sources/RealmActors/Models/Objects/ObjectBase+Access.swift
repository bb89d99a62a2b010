public import Storage

// Safety: an accessor borrows its context's hub and tree and its realm's model without retaining
// them, which would cost as much as the access itself. It retains its context, and so all of them,
// during every call.

/// The source of a read through an accessor that is not frozen.
@frozen @usableFromInline
enum ReadPlace {
    /// In the row.
    case row
    /// Nowhere: a key path is being traced.
    case trace
    /// In the accessor's own wrapper.
    case wrapper
}

extension ObjectBase {
    /// The live context of an accessor that is live or invalidated.
    @inline(__always)
    final var _live: LiveContext? {
        guard __state == AccessorState.live || __state == AccessorState.invalidated else {
            return nil
        }
        // Unsafe: `bind(_:live:_:)` sets the live state and a live context together.
        return unsafeDowncast(__context.unsafelyUnwrapped, to: LiveContext.self)
    }

    /// Calls `body` with the context of an accessor that is live or invalidated.
    @inline(__always)
    private final func _withLive<R>(_ body: (LiveContext) -> R) -> R {
        Unmanaged.passUnretained(__context.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
            body(unsafeDowncast($0, to: LiveContext.self))
        }
    }

    /// The class of a managed object.
    @inline(__always)
    final var _classID: ClassID {
        __binding.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.classID }
    }

    /// Whether the class of a managed object is embedded.
    final var _isEmbedded: Bool {
        __binding.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.isEmbedded }
    }

    /// The column of a managed object's primary key, -1 without one.
    @inline(__always)
    final var _primaryKeyColumn: Int {
        __binding.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.primaryKeyColumn }
    }

    /// Notifies Observation of a read of a located live accessor. Retains nothing.
    @inlinable
    final func _observeRead(_ column: Int) {
        __observation?._withUnsafeGuaranteedRef { $0.access(self, column) }
    }

    /// Prepares an accessor that is not frozen for a read of `column`: locates the row of a live
    /// one again if its tree has changed, and notifies Observation.
    @usableFromInline
    final func _prepareRead(_ column: Int) -> ReadPlace {
        switch __state {
        case AccessorState.live:
            return _withLive { _prepareLiveRead($0, column) }
        case AccessorState.tracing: return .trace
        case AccessorState.invalidated: return __cluster == nil ? .wrapper : .row
        case AccessorState.frozen: return .row
        default: return .wrapper
        }
    }

    @inline(__always)
    private final func _prepareLiveRead(_ context: LiveContext, _ column: Int) -> ReadPlace {
        if __generation != context.generation, !_relocate(context) {
            // If the row is still to come, the read value will change.
            if __state == AccessorState.live { _observeRead(column) }
            return __cluster == nil ? .wrapper : .row
        }
        _observeRead(column)
        return .row
    }

    /// Locates the row in the present tree. False if it was deleted: the accessor then keeps its
    /// last values.
    final func _relocate(_ context: LiveContext) -> Bool {
        let isDead =
            context.isInvalidated
            || context.hasRolledBack(_classID, __key, since: min(__generation, ~__generation))
        guard !isDead, let row = context.locate(_classID, __key) else {
            // The row may come with a commit that is not durable yet, or when it can be read again.
            let mayCome =
                !isDead && (context.awaitsCommit || context.cannotRead(_classID, __key))
            if mayCome { _leaveRow() } else { _becomeInvalidated() }
            return false
        }
        _take(row)
        _note(context)
        return true
    }

    /// Notes that the row was located in the present tree.
    @inline(__always)
    final func _note(_ context: LiveContext) {
        __generation = context.generation
        if !context.isInWrite { _keepRow() }
    }

    /// Keeps the values of a located row for the time after its deletion.
    @inline(__always)
    private final func _keepRow() {
        __seenSlot = UInt8(truncatingIfNeeded: __slot)
        if __seen == __cluster { return }
        __cluster.retain()
        __seen?.release()
        __seen = __cluster
    }

    /// Reads from `row` from here on.
    final func _take(_ row: consuming RowHold) {
        let (location, isOwned) = row.take()
        _leaveRow()
        __cluster = location.cluster
        __slot = location.slot
        __ownsCluster = isOwned
    }

    /// Reads from a located row from here on. If the tree does not retain its cluster, the accessor
    /// does.
    @usableFromInline
    package final func _point(at cluster: Cluster, _ slot: Int, isTransient: Bool) {
        if isTransient {
            if !__ownsCluster || __cluster != cluster {
                cluster.retain()
                _leaveRow()
                __ownsCluster = true
            }
        } else if __ownsCluster {
            _leaveRow()
        }
        __cluster = cluster
        __slot = slot
    }

    /// Detaches the accessor from its row.
    final func _leaveRow() {
        if __ownsCluster { __cluster.release() }
        __ownsCluster = false
        __cluster = nil
    }

    /// The elements of a located list or set.
    final func _sequence(_ column: Int) -> SequenceView {
        __cluster.sequence(column, __slot, __model.columns[column])
    }

    /// The entries of a located map.
    final func _map(_ column: Int) -> MapView {
        __cluster.map(column, __slot, __model.columns[column])
    }

    /// Prepares a managed accessor for an assignment to `column`; false if the assignment is void
    /// because the row was deleted or the column cannot change, which fails the whole write.
    @usableFromInline
    final func _prepareWrite(_ column: Int) -> Bool {
        guard __state == AccessorState.live || __state == AccessorState.invalidated else {
            preconditionFailure(
                "Cannot set a property of a frozen '\(type(of: self))'. "
                    + "Resolve it in a write and change that object.")
        }
        return _withLive { _prepareWrite($0, column) }
    }

    @inline(__always)
    private final func _prepareWrite(_ context: LiveContext, _ column: Int) -> Bool {
        guard context.isWritable else { return _refuseUnwritable(context) }
        guard __state == AccessorState.live,
            __generation == context.generation || _relocate(context)
        else {
            context.refuse(_invalidated)
            return false
        }
        if column == _primaryKeyColumn {
            context.refuse(_fixedKey)
            return false
        }
        guard let __observation else { return true }
        __observation._withUnsafeGuaranteedRef { $0.willChange(self, column) }
        return _isAssignable(context, column)
    }

    /// Notifies Observation that an assignment is done.
    @inlinable
    final func _finishWrite(_ column: Int) {
        __observation?._withUnsafeGuaranteedRef { $0.didChange(self, column) }
    }

    /// The row of a located live object, for writing; nil when there is none.
    @usableFromInline
    final var _row: RowTarget? {
        _withLive { context in
            let writer = context.borrowedTree?._withUnsafeGuaranteedRef {
                $0.writer(_classID, __key)
            }
            guard let writer else { return nil }
            return RowTarget(context: .passUnretained(context), writer: writer)
        }
    }

    /// Writes a column of a located live object unless it holds an equal value.
    @usableFromInline
    final func _setIfDifferent(_ value: StorableValue, _ column: Int) {
        _set(value.value, column, .differences)
    }

    /// Writes a column of a located live object.
    final func _set(_ value: StoredValue, _ column: Int, _ changes: ChangePolicy) {
        guard let tree = _live?.tree else { return }
        let schema = __model.columns[column]
        let old = tree.locate(__model.classID, __key)?.value(column, schema)
        if changes == .differences, let old, old.isStoredLike(value) { return }
        tree.set(value, __model.classID, __key, ColumnID(column))
        if let target = schema.target, tree.schema[target].isEmbedded, case .link(let key) = old {
            tree.delete(target, [key])
        }
    }

    /// Runs a change that may add objects; its error fails the whole write.
    final func _withGraph(
        _ column: Int, _ changes: ChangePolicy, _ body: (GraphTarget) throws(RealmError) -> Void
    ) {
        guard let context = _live else { return }
        do {
            try body(
                GraphTarget(
                    graph: context.graph, owner: self, column: column, changes: changes))
        } catch {
            context.refuse(error)
        }
    }

    /// Whether `column` of a located live object links to this very row already.
    final func _isSameRow(in owner: ObjectBase, _ column: Int) -> Bool {
        __state == AccessorState.live && __context === owner.__context
            && owner.__cluster.link(column, owner.__slot) == __key
    }

    /// An accessor, of the same context, for a row that this one links to.
    final func _linked<Target: ObjectBase>(
        _ type: Target.Type, _ key: RowKey, _ column: Int
    ) -> Target? {
        guard let context = __context, let model = _target(type, column, context.models) else {
            return nil
        }
        if let frozen = context as? FrozenContext {
            return frozen.object(model, key) as? Target
        }
        guard let live = context as? LiveContext else { return nil }
        return model.makeAccessor(live: live, key) as? Target
    }

    /// The binding of the class that `column` links to.
    final func _target(
        _ type: ObjectBase.Type, _ column: Int, _ models: ModelMap
    ) -> ModelBinding? {
        guard type == DynamicObject.self else { return models.binding(for: type) }
        let target =
            __model.isDynamic
            ? __model.properties.first { Int($0.number) == column } : nil
        return (target?.origin ?? target?.schema.target).map { models.dynamicBinding($0) }
    }

    /// The declared class; for a dynamic object, the stored class.
    final var _discovered: DiscoveredModel {
        if let model = __model, model.isDynamic { return model.model }
        return DiscoveredModel.of(type(of: self))
    }

    /// The default that the class declares for the property in `column`.
    @usableFromInline
    final func _defaultValue<Value: PersistedValue>(_ column: Int) -> Value {
        guard let property = __model?.property(ColumnID(column)), property.place.isWrapped else {
            return Value._initial()
        }
        let fresh = __model.type.init()
        let wrapper = fresh._wrapper(at: property.place.offset, property.type)
        return wrapper.defaultValue as? Value ?? Value._initial()
    }

    /// The wrapper at an offset that reflection found.
    final func _wrapper(
        at offset: Int, _ type: any PersistedValue.Type
    ) -> any PersistedWrapper {
        type._loadWrapper(_address(offset))
    }

    // Unsafe: valid while the object exists, which every caller retains; reflection found the
    // offset.
    /// The address of a wrapper of this object.
    final func _address(_ offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }

    /// The value of a property given by its binding.
    final func _anyValue(_ property: PropertyBinding) -> Any {
        property.type._anyValue(self, at: property.place)
    }
}

extension PersistedValue {
    /// Copies the wrapper at `address`.
    static func _loadWrapper(_ address: UnsafeMutableRawPointer) -> any PersistedWrapper {
        // Unsafe: the caller gives the address of a `Persisted<Self>` that reflection found.
        address.assumingMemoryBound(to: Persisted<Self>.self).pointee
    }

    /// Reads a property through its wrapper's offset, in any state of the object.
    static func _anyValue(_ object: ObjectBase, at place: WrapperPlace) -> Any {
        _value(object, at: place)
    }

    /// Reads a property through its wrapper's offset, in any state of the object.
    static func _value(_ object: ObjectBase, at place: WrapperPlace) -> Self {
        guard place.isWrapped else {
            let column = Int(place.number)
            return object._prepareRead(column) == .row ? _read(object, column) : _initial()
        }
        // Unsafe: as above; `object` lives through the call.
        let wrapper = object._address(place.offset).assumingMemoryBound(to: Persisted<Self>.self)
        let column = Int(wrapper.pointee.column)
        return withExtendedLifetime(object) {
            switch object._prepareRead(column) {
            case .row: _read(object, column)
            case .trace: object._tracedValue(column)
            case .wrapper: wrapper.pointee.rowlessValue(object)
            }
        }
    }

    /// Converts a value of the program and assigns it, in any state of the object.
    static func _assignAny(
        _ any: Any, to object: ObjectBase, at place: WrapperPlace, _ conversion: ValueConversion,
        _ changes: ChangePolicy
    ) throws(RealmError) {
        let value = try _convert(any, conversion)
        var column = Int(place.number)
        if place.isWrapped {
            // Unsafe: as above; `object` lives through the call.
            let wrapper = object._address(place.offset)
                .assumingMemoryBound(to: Persisted<Self>.self)
            if object.__state == AccessorState.unmanaged {
                wrapper.pointee.value = _assigned(value, over: wrapper.pointee.value)
                return
            }
            column = Int(wrapper.pointee.column)
        }
        if let error = object._assignmentError(column) { throw error }
        guard object._prepareWrite(column) else { throw object._invalidated }
        _store(value, in: object, column: column, changes: changes)
        object._finishWrite(column)
    }
}
