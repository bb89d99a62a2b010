/// A workload: the rows it prints, and what runs in a setting.
struct Workload<Setting: Sendable>: Sendable {
    let rows: [String]
    let run: Body
    /// Whether it takes so long that it only runs when a row of it is asked for by its whole name.
    var isOnRequest = false

    /// Runs off the main actor, as a server's requests do: going to and fro between the main thread
    /// and the pool would cost more than a small transaction.
    typealias Body = @concurrent @Sendable (Setting) async throws -> [Measurement]

    init(_ rows: String..., run: @escaping Body) {
        self.rows = rows
        self.run = run
    }

    /// The same, only on request.
    var onRequest: Workload {
        var workload = self
        workload.isOnRequest = true
        return workload
    }

    /// Whether a row of this workload is asked for; no names ask for all.
    func matches(_ filter: [String]) -> Bool {
        if isOnRequest { return rows.contains { filter.contains($0) } }
        return filter.isEmpty || rows.contains { row in filter.contains { row.contains($0) } }
    }

    /// The medians of some repetitions, row by row.
    func measure(in setting: Setting, repetitions: Int) async throws -> [Measurement] {
        progress(rows.joined(separator: ", "))
        var runs: [[Measurement]] = []
        for _ in 0..<repetitions { runs.append(try await run(setting)) }
        guard var rows = runs.first else { return [] }
        for index in rows.indices where rows[index].value != nil {
            rows[index].value = runs.compactMap { $0[index].value }.median
            if let wrong = runs.first(where: { !$0[index].isRight }) {
                rows[index].check = wrong[index].check
                rows[index].isRight = false
            }
        }
        return rows
    }
}
