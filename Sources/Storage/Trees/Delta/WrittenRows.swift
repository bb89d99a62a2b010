/// The rows that a transaction has created and deleted so far.
package struct WrittenRows: Sendable {
    private let delta: Delta

    fileprivate init(_ delta: Delta) { self.delta = delta }

    /// The classes with created rows, and the first key of these.
    package var created: [(id: ClassID, first: RowKey)] {
        var created: [(id: ClassID, first: RowKey)] = []
        for (index, marks) in delta.classes.enumerated() {
            guard let marks, marks.hasCreated else { continue }
            created.append((ClassID(index), RowKey(marks.createdFrom)))
        }
        return created
    }

    /// Deleted rows that existed before, ascending in each class.
    package var deleted: [(id: ClassID, keys: [RowKey])] {
        var deleted: [(id: ClassID, keys: [RowKey])] = []
        for (index, marks) in delta.classes.enumerated() {
            guard let marks, marks.deletesRows else { continue }
            deleted.append((ClassID(index), marks.deleted.sorted().map { RowKey($0) }))
        }
        return deleted
    }
}

extension WorkingTree {
    /// The rows that the running transaction has created and deleted so far.
    package var writtenRows: WrittenRows { WrittenRows(delta) }
}
