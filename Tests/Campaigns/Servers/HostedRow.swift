#if os(Linux) && PostgreSQL
    import RealmActors
    import StorageHarness

    /// The row of a host's commit: it identifies the commit, and what its body has read.
    final class HostedRow: Object {
        @Persisted(primaryKey: true) var number: Int
        /// The hash of the rows that the body has read.
        @Persisted var seen: Int
        @Persisted var score: Double?

        private static let rowsMax = 20

        /// The body of a commit. Sometimes it also changes an older row, or deletes the oldest one.
        static func commit(_ number: Int64, _ tx: WriteTransaction) throws {
            let rows = tx.objects(HostedRow.self)
            let before = HostRows(
                rows.map { HostRows.Row(Int64($0.number), Int64($0.seen), $0.score) })
            if number.isMultiple(of: 3) { rows.last?.score = Double(number % 1_000) }
            if rows.count > rowsMax, let oldest = rows.first { try tx.delete(oldest) }
            let row = HostedRow()
            (row.number, row.seen) = (Int(number), Int(before.hash))
            try tx.add(row)
        }
    }

    extension HostRows.Row {
        init(_ number: Int64, _ seen: Int64, _ score: Double?) {
            self.init(number: number, seen: seen, score: score)
        }

        init(_ row: Frozen<HostedRow>) {
            self.init(Int64(row.number), Int64(row.seen), row.score)
        }
    }

    extension HostRows {
        init(_ snapshot: Snapshot) {
            self.init(snapshot.objects(HostedRow.self).map { HostRows.Row($0) })
        }
    }
#endif
