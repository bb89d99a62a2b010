import Storage

// Assignments to managed objects that are refused.

extension ObjectBase {
    /// Whether an assignment to `column` can continue after its observers were notified: they may
    /// have written, deleted this object, or rolled back the write.
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

    /// The error of an assignment to a primary key.
    final var _fixedKey: RealmError {
        .invalidValue(
            "The primary key of '\(__model.className)' cannot change once the object is "
                + "added. Create another object instead.")
    }

    /// The error of an assignment to `column` of a managed object; nil if it is possible. A caller
    /// that throws it has changed nothing, so that an open write may continue.
    final func _assignmentError(_ column: Int) -> RealmError? {
        guard let context = _live else {
            guard __state == AccessorState.frozen else { return nil }
            return .invalidObject(
                "Cannot set a property of a frozen '\(__model.className)'. "
                    + "Resolve it in a write and change that object.")
        }
        guard context.isWritable else {
            let isRefused = context.ignoresAssignments || context.successor?.isInWrite == true
            return isRefused ? nil : .notInWriteTransaction
        }
        if __state == AccessorState.live, __generation != context.generation {
            _ = _relocate(context)
        }
        guard __state == AccessorState.live else { return _invalidated }
        return column == _primaryKeyColumn ? _fixedKey : nil
    }

    /// Handles an error of the program, such as a name that the class lacks, where it could not be
    /// thrown: fails the migration that the object belongs to, because the names that a store has
    /// depend on its age, and traps elsewhere.
    final func _refuseUse(_ error: RealmError) {
        if let context = _live, context.models.isMigrating, context.isWritable {
            return context.refuse(error)
        }
        if let errors = (__context as? FrozenContext)?.errors { return errors.record(error) }
        preconditionFailure("\(error)")
    }

    /// Notes that a property of this unmanaged object was assigned a value that does not fit, where
    /// no error could be thrown.
    final func _refuseValue(of name: String) {
        __generation = UInt64((_discovered.position(of: name) ?? 0) + 1)
    }

    /// The error of adding or copying this unmanaged object; nil if it is possible.
    final var _refusal: RealmError? {
        guard __state == AccessorState.unmanaged, __generation != 0 else { return nil }
        let model = _discovered
        let name = model.properties[Int(__generation) - 1].name
        return .invalidValue(
            "Property '\(model.name).\(name)' does not take the value that was set by subscript. "
                + "Use setValue(_:forName:), which throws an error with the reason.")
    }

    /// An assignment in a rolled back write has no effect; without an open write it traps.
    final func _refuseUnwritable(_ context: LiveContext) -> Bool {
        if context.ignoresAssignments { return false }
        // For an object from before `invalidate()`, the realm's present write fails.
        if let successor = context.successor, successor.isInWrite {
            successor.refuse(_invalidated)
            return false
        }
        preconditionFailure(
            "Cannot set a property of a managed '\(type(of: self))' outside a write. "
                + "Call write { } around the change, and use its objects only until it ends.")
    }

    /// The error of using this object although its row was deleted or cannot be read.
    final var _invalidated: RealmError {
        if __state == AccessorState.live, let context = _live, !context.isInvalidated,
            let failure = context.readFailure
        {
            return failure
        }
        return .invalidated(className: __model.className, key: _keyDescription)
    }

    /// The primary key, else the row number, for messages.
    final var _keyDescription: String {
        guard let property = __model.primaryKey else { return "row \(__key.rawValue)" }
        return "\(_anyValue(property))"
    }
}
