import Storage

// What an accessor shows once its row was deleted or its realm was invalidated.

extension ObjectBase {
    /// Turns a live accessor into one that shows its last values.
    final func _becomeGone() {
        __state = AccessorState.gone
        _leaveRow()
        guard let seen = __seen else { return }
        __slot = Int(__seenSlot)
        __cluster = seen.kept(forRow: __slot)
        __ownsCluster = true
        _forgetSeen()
    }

    /// Whether the row is gone now, even if this accessor was not used since.
    final var _hasGone: Bool {
        if __state == AccessorState.live, let context = _live,
            __generation != context.generation || context.isInvalidated
        {
            _ = _relocate(context)
        }
        return __state == AccessorState.gone
    }

    /// Releases the values that were kept for the time after the row is deleted.
    final func _forgetSeen() {
        __seen?.release()
        __seen = nil
    }

    /// The object, which is live or gone, as it is at this moment. One that is gone shows the
    /// values that it showed last.
    final var _frozenTwin: ObjectBase {
        guard let context = _live, let model = __model else {
            preconditionFailure(
                "Cannot freeze a '\(type(of: self))' that is unmanaged. Add it to a realm first.")
        }
        let isThere = !isInvalidated
        let frozen = context.captured()
        if isThere, let twin = frozen.object(model, __key) { return twin }
        let twin = model.makeAccessor(frozen: frozen, __key)
        if let __cluster {
            twin._point(at: __cluster, __slot, isTransient: true)
        } else {
            twin._take(.missing)
        }
        return twin
    }

    /// Why nothing that reads this object has changes to deliver, when its realm was invalidated.
    final var _invalidation: RealmError? {
        _live.flatMap { $0.isInvalidated ? _invalidated : nil }
    }

    /// A frozen accessor for a row that a frozen one links to and that is not there: nothing of it
    /// can be read. Nil when this is not frozen.
    final func _lost<Target: ObjectBase>(
        _ type: Target.Type, _ key: RowKey, _ column: Int
    ) -> Target? {
        guard let context = __context as? FrozenContext,
            let model = _target(type, column, context.models)
        else { return nil }
        return model.makeAccessor(frozen: context, key, .missing) as? Target
    }
}
