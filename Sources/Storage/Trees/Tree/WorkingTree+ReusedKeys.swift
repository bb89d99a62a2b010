/// The keys of rows that transactions have created and that do not exist outside of these.
extension WorkingTree {
    /// Allows reuse of the keys that rolled back transactions have used, since another process may
    /// use them. What was found by such a key before `capture`, by default before now, is noted not
    /// to be the row that gets the key.
    func allowUnusedKeys(since capture: UInt64? = nil) {
        var capture = capture
        for state in states where state.keyFloor > 0 {
            let next = nextKey(state.id)
            // After a failed read, the next key is unknown.
            if state.keyFloor > next, account.failure == nil {
                let moment = capture ?? account.skipCapture()
                capture = moment
                noteReuse(of: state.id, from: next, at: moment)
            }
            state.keyFloor = 0
        }
    }

    /// Notes that the keys from `first` on, which no row has, may belong to other rows than before
    /// `capture`.
    func noteReuse(of id: ClassID, from first: Int64, at capture: UInt64) {
        account.reusedKeys.note(id, from: first, at: capture) { keys in
            if keys.upperBound > first { return true }
            let found = rows(id).location(from: RowKey(keys.lowerBound))?.key
            return found.map { $0.rawValue < keys.upperBound } ?? false
        }
    }

    /// Switches to the tree of another process, captured since the last transaction of this one.
    func reset(toFollowed root: SnapshotRoot) {
        allowUnusedKeys(since: root.capture)
        reset(to: root)
        clearKeyFloors()
    }

    /// Rolls back commits of other processes that were not shown: nothing was found by their keys.
    func reset(fromFollowed root: SnapshotRoot) {
        let floors = keyFloors
        reset(to: root)
        keyFloors = floors
    }

    /// The lower bounds for keys of new rows, by class.
    var keyFloors: [Int64] {
        get { states.map(\.keyFloor) }
        set { for (state, floor) in zip(states, newValue) { state.keyFloor = floor } }
    }

    /// Allows reuse of all keys that have no row.
    func clearKeyFloors() {
        for state in states { state.keyFloor = 0 }
    }

    /// Skips the keys that rolled back transactions have used in `former`, the tree before the
    /// store was reopened.
    func skipUnusedKeys(of former: WorkingTree) {
        for (state, before) in zip(states, former.states) {
            state.keyFloor = max(state.keyFloor, before.keyFloor)
        }
    }

    /// Notes the keys that rolled back transactions have used in `former`, the tree before the
    /// store was reopened, and that other hosts have given to rows which the opening has read. This
    /// tree was first captured as `capture`.
    func noteKeysReused(since former: WorkingTree, at capture: UInt64) {
        for (state, before) in zip(states, former.states) where before.keyFloor > 0 {
            let (first, end) = (former.nextKey(before.id), nextKey(state.id))
            // After a failed read, the next keys are unknown.
            guard account.failure == nil else { return }
            if before.keyFloor > first, end > first {
                noteReuse(of: state.id, from: first, at: capture)
            }
        }
    }
}
