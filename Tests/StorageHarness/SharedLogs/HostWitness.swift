import Storage

/// Reads a log as a host does that has seen nothing else: entry by entry, from the first one on.
enum HostWitness {
    /// What the log begins with, and its commits.
    static func read(
        _ entries: [[UInt8]]
    ) async throws -> (base: (version: Version, hash: Int64), log: [HostHistory.Entry]) {
        let engine = SimulatedSharedLog.Engine(seed: 0, waits: false)
        let log = SimulatedSharedLog(engine)
        // With the first two it has a schema, and is notified of all later ones.
        for (index, entry) in entries.prefix(2).enumerated() {
            _ = try log.append(entry, at: LogSlot(UInt64(index + 1)))
        }
        let host = SimulatedHost(engine)
        guard try host.open(), let base = try host.stream.takeElements().first else {
            throw Violation("the log cannot be read")
        }
        for (index, entry) in entries.enumerated().dropFirst(2) {
            _ = try log.append(entry, at: LogSlot(UInt64(index + 1)))
        }
        try await host.refresh()
        let commits = try host.stream.takeElements().map { element in
            guard let row = element.created.first, element.created.count == 1 else {
                throw Violation("version \(element.version) is of no commit")
            }
            return HostHistory.Entry(
                version: element.version, number: row.number, seen: row.seen, hash: element.hash)
        }
        try await host.close()
        return ((base.version, base.hash), commits)
    }
}
