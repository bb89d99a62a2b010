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

    /// Whether the key of a frozen object belongs to another row now.
    func hasReused(keyOf object: ObjectBase) -> Bool {
        let keys = store.account.reusedKeys
        guard !keys.isEmpty, let model = object.__model,
            let frozen = object.__context as? FrozenContext
        else { return false }
        return keys.contains(
            model.classID, object.__key, between: frozen.root.capture, and: lastCapture)
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
