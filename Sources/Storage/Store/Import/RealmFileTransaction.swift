/// Adds the contents of a `.realm` file to a store, as one transaction.
package struct RealmFileTransaction: Sendable {
    private let file: RealmFile
    private let isSalvage: Bool
    private let monitor: ReadingMonitor

    package init(_ file: RealmFile, isSalvage: Bool, monitor: ReadingMonitor) {
        self.file = file
        self.isSalvage = isSalvage
        self.monitor = monitor
    }

    /// Runs it as a body, which the caller ends with the commit; a body that throws has ended. The
    /// caller has the write turn. Blocks on the disk: not for the cooperative pool.
    ///
    /// - Throws: ``RealmFileMismatch``, ``RealmFileConflict``; nothing has been written then.
    package func run(
        in engine: TransactionEngine, author: String?, time: Double
    ) throws -> (changes: RealmFileChanges, commit: Version?) {
        try engine.beginBody()
        do {
            let changes = try write(into: engine.tree)
            return (changes, try engine.encodeCommit(author: author, time: time))
        } catch {
            engine.rollBack()
            engine.endBody(nil, waiter: .nobody)
            throw error
        }
    }

    private func write(into tree: WorkingTree) throws -> RealmFileChanges {
        let fit = RealmFileFit(try StoreSchema(of: file), in: tree.schema)
        guard fit.problems.isEmpty else { throw RealmFileMismatch(problems: fit.problems) }
        do {
            var rows = try RealmFileRows(
                file, fit, into: tree, isSalvage: isSalvage, report: pace())
            try rows.write()
            try file.requireUnchanged()
            return rows.changes
        } catch let error as RealmFileError where error.offset != nil {
            // Parts that an app has overwritten meanwhile look like damage, but are not.
            try file.requireUnchanged()
            throw error
        }
    }

    private func pace() -> (Int) throws -> Void {
        // A damaged file may have counts that overflow an integer.
        let total = max(file.classes.reduce(0.0) { $0 + Double($1.count) }, 1)
        return { [monitor] done in
            try monitor.check()
            monitor.report(min(Double(done) / total, 0.99))
        }
    }
}

/// A store cannot hold the contents of a `.realm` file.
package struct RealmFileMismatch: Error {
    /// Readable descriptions of all differences.
    package let problems: [String]
}
