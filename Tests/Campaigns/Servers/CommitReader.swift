#if os(Linux) && PostgreSQL
    import RealmActors
    import Storage
    import StorageHarness

    /// Reads the commits of a realm one by one, with the rows after each.
    enum CommitReader {
        static func report(_ realm: Realm) async throws {
            var rows: [Int64: HostRows.Row] = [:]
            for try await commit in realm.pastCommits() {
                let inserted = commit.insertions(of: HostedRow.self)
                try apply(commit, inserted, to: &rows)
                let (version, hash) = (Version(commit.version.rawValue), HostRows(rows.values).hash)
                guard let row = inserted.first.flatMap({ rows[$0.reference.row] }) else {
                    throw Violation("version \(version) is of no commit")
                }
                HostReport.entry(version, number: row.number, seen: row.seen, hash: hash).send()
            }
        }

        private static func apply(
            _ commit: RealmCommit, _ inserted: [CommitInsertion<HostedRow>],
            to rows: inout [Int64: HostRows.Row]
        ) throws {
            for row in inserted {
                guard case .int(let number)? = row.values["number"]?.frozen,
                    case .int(let seen)? = row.values["seen"]?.frozen
                else { throw Violation("version \(commit.version) has no values") }
                rows[row.reference.row] = HostRows.Row(Int64(number), Int64(seen), nil)
            }
            for row in commit.modifications(of: HostedRow.self) {
                guard case .double(let score)? = row.newValues["score"]?.frozen else { continue }
                rows[row.reference.row]?.score = score
            }
            for row in commit.deletions(of: HostedRow.self) { rows[row.reference.row] = nil }
        }
    }
#endif
