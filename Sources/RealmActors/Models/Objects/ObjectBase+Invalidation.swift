import Storage

// Accessors whose row was deleted or whose realm was invalidated.

extension ObjectBase {
    /// Makes a live accessor an invalidated one, which shows its last values.
    final func _becomeInvalidated() {
        __state = AccessorState.invalidated
        _leaveRow()
        guard let seen = __seen else { return }
        __slot = Int(__seenSlot)
        __cluster = seen.kept(forRow: __slot)
        __ownsCluster = true
        _forgetSeen()
    }

    /// Whether the row was deleted, even if this accessor was not used since.
    final var _wasInvalidated: Bool {
        if __state == AccessorState.live, let context = _live,
            __generation != context.generation || context.isInvalidated
        {
            _ = _relocate(context)
        }
        return __state == AccessorState.invalidated
    }

    /// Releases the values that were kept for the time after the row's deletion.
    final func _forgetSeen() {
        __seen?.release()
        __seen = nil
    }

    /// The present state of the object, which is live or invalidated; if invalidated, its last
    /// values.
    final var _frozenCounterpart: ObjectBase {
        guard let context = _live, let model = __model else {
            preconditionFailure(
                "Cannot freeze a '\(type(of: self))' that is unmanaged. Add it to a realm first.")
        }
        let isThere = !isInvalidated
        let frozen = context.captured()
        if isThere, let counterpart = frozen.object(model, __key) { return counterpart }
        let counterpart = model.makeAccessor(frozen: frozen, __key)
        if _isLostCreation { counterpart._loseRow() }
        if let __cluster {
            counterpart._point(at: __cluster, __slot, isTransient: true)
        } else {
            counterpart._take(.missing)
        }
        return counterpart
    }

    /// The error of change streams of this object and its collections, if its realm was
    /// invalidated.
    final var _invalidation: RealmError? {
        _live.flatMap { $0.isInvalidated ? _invalidated : nil }
    }

    /// A frozen accessor for a linked row that cannot be read; all of its properties have no value.
    /// Nil if this is not frozen.
    final func _lost<Target: ObjectBase>(
        _ type: Target.Type, _ key: RowKey, _ column: Int
    ) -> Target? {
        guard let context = __context as? FrozenContext,
            let model = _target(type, column, context.models)
        else { return nil }
        return model.makeAccessor(frozen: context, key, .missing) as? Target
    }
}
