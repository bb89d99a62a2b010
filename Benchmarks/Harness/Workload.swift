/// A workload: the rows it prints, and what runs.
struct Workload: Sendable {
    let rows: [String]
    let run: Body

    /// Runs off the main actor, as a server's requests do: going to and fro between the main thread
    /// and the pool would cost more than a small transaction.
    typealias Body = @concurrent @Sendable (Bench) async throws -> [Measurement]

    init(_ rows: String..., run: @escaping Body) {
        self.rows = rows
        self.run = run
    }

    /// A workload that needs what a later version brings.
    static func unsupported(_ row: String, _ reason: String) -> Workload {
        Workload(row) { _ in [.unsupported(row, reason)] }
    }

    /// Whether a row of this workload is asked for.
    func matches(_ filter: String) -> Bool {
        filter.isEmpty || rows.contains { $0.contains(filter) }
    }

    /// All workloads, in the order in which they run.
    static let all: [Workload] =
        insertWorkloads + commitWorkloads + lookupWorkloads + filterWorkloads + sortWorkloads
        + scanWorkloads + updateWorkloads + openWorkloads + streamWorkloads + mixedWorkloads
        + flightWorkloads + [
            .unsupported("w15_growth", "needs checkpoints and compaction"),
            .unsupported("w17_commit_p99_during_checkpoint", "needs checkpoints"),
            .unsupported("w18_scan_4x_budget", "needs the memory budget"),
        ]
}
