import Storage

/// A write that was rolled back, or has deleted a row of its own, may have given a key to another
/// row than the one that has it since, in another process: a reference or a frozen object from that
/// write does not refer to that row.
extension AccessContext {
    /// The number of the last capture of the store that this shows; zero for a traced key path.
    var lastCapture: UInt64 {
        if let frozen = self as? FrozenContext { return frozen.root.capture }
        guard let live = self as? LiveContext else { return 0 }
        // An object may be of a commit that is not shown yet.
        let shown = live.awaitsCommit ? nil : live.root
        return shown?.capture ?? live.store.account.lastCapture
    }

    /// The record of the store; nil for a traced key path.
    private var reusedKeys: ReusedKeys? {
        if let frozen = self as? FrozenContext { return frozen.root.account.reusedKeys }
        return (self as? LiveContext)?.store.account.reusedKeys
    }

    /// The keys that were reused until now; nil if there are none, as in almost every store.
    var keyReuse: KeyReuse? {
        guard let reusedKeys, !reusedKeys.isEmpty else { return nil }
        return KeyReuse(keys: reusedKeys, capture: lastCapture)
    }

    /// Whether the key of an object of this store, frozen or live, belongs to another row here.
    ///
    /// False if the store was closed and opened again since: the record ends with the open store.
    ///
    /// - Parameters:
    ///   - object: an object of any context.
    ///   - other: an object of this context that has the key; nil for the row that is there.
    func hasReused(keyOf object: ObjectBase, for other: ObjectBase? = nil) -> Bool {
        let isOfRowHere = !object._hasLostRow && !(other?._hasLostRow ?? false)
        guard let context = object.__context, context !== self || !isOfRowHere,
            let model = object.__model, let keys = reusedKeys, !keys.isEmpty,
            keys === context.reusedKeys, let capture = object._lastCapture
        else { return false }
        return keys.contains(
            model.classID, object.__key, between: capture,
            and: other?._lastCapture ?? lastCapture)
    }
}

extension ObjectBase {
    /// The number of the last capture of the store that may show the object; nil if unmanaged.
    final var _lastCapture: UInt64? {
        guard let context = __context else { return nil }
        // Zero is before every reuse: no version from now on has such a row.
        return _hasLostRow || _isLostCreation ? 0 : context.lastCapture
    }

    /// Whether this was frozen after its row was lost: the write that created it was rolled back,
    /// or has deleted it, or a stream has reported the deletion. Its context is that of a version
    /// in which the key may belong to another row.
    final var _hasLostRow: Bool { __state == AccessorState.frozen && __generation != 0 }

    /// Notes that this frozen object has lost its row.
    final func _loseRow() { __generation = 1 }

    /// Whether the write that created the row of this live object was rolled back, or has deleted
    /// the row.
    final var _isLostCreation: Bool {
        _live?.hasLostCreation(_classID, __key, since: min(__generation, ~__generation))
            ?? false
    }
}

extension FrozenContext {
    /// Whether the key of a reference belongs to another row in this version.
    func hasReused<Model>(keyOf reference: ObjectReference<Model>) -> Bool {
        root.account.reusedKeys.contains(reference, at: self)
    }
}

extension LiveContext {
    /// Whether the key of a reference belongs to another row now.
    func hasReused<Model>(keyOf reference: ObjectReference<Model>) -> Bool {
        store.account.reusedKeys.contains(reference, at: self)
    }
}

extension ReusedKeys {
    /// Whether the key of a reference may belong to another row than when the reference was made.
    /// False for a reference that was decoded, which does not say when that was.
    fileprivate func contains<Model>(
        _ reference: ObjectReference<Model>, at context: AccessContext
    ) -> Bool {
        guard !isEmpty, let capture = reference.capture else { return false }
        return contains(
            reference.classID, reference.key, between: capture, and: context.lastCapture)
    }
}
