import Storage

// Why an assignment to a managed object is void.

extension ObjectBase {
    /// Whether an assignment to `column` can continue whose observers were notified: they may have
    /// written, deleted this object, or rolled back the write.
    final func _isAssignable(_ context: LiveContext, _ column: Int) -> Bool {
        if context.isWritable, __state == AccessorState.live,
            __generation == context.generation || _relocate(context)
        {
            return true
        }
        if context.isWritable { context.refuse(_invalidated) }
        _finishWrite(column)
        return false
    }

    /// Why a primary key is not assigned.
    final var _fixedKey: RealmError {
        .invalidValue(
            "The primary key of '\(__model.className)' cannot change once the object is "
                + "added. Create another object instead.")
    }

    /// Why an assignment to `column` in an open write would be void; nil when it would not. A
    /// caller that throws it has changed nothing, so that the write may continue.
    final func _assignmentError(_ column: Int) -> RealmError? {
        guard let context = _live, context.isWritable else { return nil }
        if __state == AccessorState.live, __generation != context.generation {
            _ = _relocate(context)
        }
        guard __state == AccessorState.live else { return _invalidated }
        return column == _primaryKeyColumn ? _fixedKey : nil
    }

    /// Notes that this unmanaged object was given a value which its property does not take, where
    /// no error could be thrown.
    final func _refuseValue(of name: String) {
        __generation = UInt64((_discovered.position(of: name) ?? 0) + 1)
    }

    /// Why an unmanaged object can be neither added nor copied; nil when it can.
    final var _refusal: RealmError? {
        guard __state == AccessorState.unmanaged, __generation != 0 else { return nil }
        let model = _discovered
        let name = model.properties[Int(__generation) - 1].name
        return .invalidValue(
            "Property '\(model.name).\(name)' does not take the value that was set by subscript. "
                + "Use setValue(_:forName:), which throws an error with the reason.")
    }

    /// An assignment without an open write is void in one that was rolled back, else it is misuse.
    final func _refuseUnwritable(_ context: LiveContext) -> Bool {
        if context.ignoresAssignments { return false }
        // Of an object from before `invalidate()` it is the realm's present write that fails.
        if let heir = context.heir, heir.isInWrite {
            heir.refuse(_invalidated)
            return false
        }
        preconditionFailure(
            "Cannot set a property of a managed '\(type(of: self))' outside a write. "
                + "Call write { } around the change, and use its objects only until it ends.")
    }

    /// The error of using this object although its row is gone, or cannot be read.
    final var _invalidated: RealmError {
        if __state == AccessorState.live, let context = _live, !context.isInvalidated,
            let failure = context.readFailure
        {
            return failure
        }
        return .invalidated(className: __model.className, key: _keyDescription)
    }

    /// The primary key, or else the row, for messages.
    final var _keyDescription: String {
        guard let property = __model.primaryKey else { return "row \(__key.rawValue)" }
        return "\(_anyValue(property))"
    }
}
