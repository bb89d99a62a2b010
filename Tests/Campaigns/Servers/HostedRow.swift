#if os(Linux) && PostgreSQL
    import RealmActors
    import StorageHarness

    /// What a commit of a host makes: a row that says which commit it is, and what its body saw.
    final class HostedRow: Object {
        @Persisted(primaryKey: true) var number: Int
        /// The hash of the rows that the body saw.
        @Persisted var seen: Int
        @Persisted var score: Double?

        private static let rowsMax = 20

        /// The body of a commit. It also gives an older row another value now and then, and lets
        /// the oldest one go.
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
