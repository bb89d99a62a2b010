import Foundation
import RealmActors
import Storage
import StorageHarness

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Campaign {
    /// Processes that take turns writing one store while they are killed, and others that follow
    /// it, one of which sleeps during checkpoints and compactions.
    static let sharing = Campaign(
        id: "C19", title: "several processes at one store", unit: "transactions",
        shortCount: { 6 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: seed)
            let sharing = SharingCase(
                path: directory + "/shared.realm", writers: 4,
                commits: seed % 100 == 0 ? 10_000 : 60 + random.next(below: 240))
            return try await sharing.run(&random)
        }
    }
}

/// One store that some processes write and others follow.
private struct SharingCase: Sendable {
    let path: String
    let writers: Int
    /// The number of transactions of each process.
    let commits: Int

    func run(_ random: inout SeededGenerator) async throws -> Int {
        let seeds = (0..<writers).map { _ in UInt64(random.next(below: 1 << 30)) }
        let nap = Double(50 + random.next(below: 400)) / 1_000
        let acknowledged = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for writer in 0..<writers {
                group.addTask { (writer, try await write(as: writer, seeds[writer])) }
            }
            for number in 0..<2 {
                group.addTask {
                    try await follow(isReader: number == 0, nap: nap)
                    return (-1, 0)
                }
            }
            var counts = Array(repeating: 0, count: writers)
            for try await (writer, count) in group where writer >= 0 { counts[writer] = count }
            return counts
        }
        let realm = try await Realm.open(SharedRows.configuration(path))
        if let problem = SharedRows.problem(in: realm.snapshot(), acknowledged: acknowledged) {
            throw Violation(problem)
        }
        let report = try await realm.verify()
        if let problem = report.problems.first { throw Violation("verify says \(problem)") }
        try await realm.close()
        return writers * commits
    }

    /// A process that writes, and is sometimes killed and restarted.
    private func write(as writer: Int, _ seed: UInt64) async throws -> Int {
        var random = SeededGenerator(seed: seed)
        var acknowledged = 0
        for _ in 0..<100 {
            let child = try ChildProcess([
                "child-sharer", path, "\(writer)", "\(commits)",
            ])
            let isKilled = random.next(below: 3) != 0
            let delay = Double(random.next(below: 300_000)) / 1_000_000
            let outcome =
                isKilled ? await child.kill(after: delay, acknowledging: true) : await child.wait()
            acknowledged = max(acknowledged, outcome.acknowledged)
            if let problem = outcome.lines.first {
                throw Violation("writer \(writer) says \(problem)")
            }
            if acknowledged >= commits { return acknowledged }
            if !isKilled { throw Violation("writer \(writer) ended with \(outcome.status)") }
        }
        throw Violation("writer \(writer) came to \(acknowledged) of \(commits)")
    }

    /// A process that follows, and sleeps for a while.
    private func follow(isReader: Bool, nap: Double) async throws {
        while !Realm.exists(at: path) { try await Task.sleep(for: .milliseconds(5)) }
        let total = SharedRows.orders(commits).count * writers
        let child = try ChildProcess([
            "child-follower", path, isReader ? "reader" : "writer", "\(total)",
        ])
        async let outcome = child.wait()
        try await Task.sleep(for: .seconds(nap / 4))
        child.send(SIGSTOP)
        try await Task.sleep(for: .seconds(nap))
        child.send(SIGCONT)
        let end = await outcome
        if let problem = end.lines.first { throw Violation("a follower says \(problem)") }
        if end.status != 0 { throw Violation("a follower ended with \(end.status)") }
    }
}

/// The roles of the campaign's processes.
enum SharingRole {
    /// Writes until there are so many transactions.
    static func write(_ path: String, _ writer: Int, _ commits: Int) async throws {
        let realm = try await Realm.open(SharedRows.configuration(path))
        // It was killed after its last transaction, before it could report it.
        let known = realm.object(SharedCounter.self, forPrimaryKey: writer)?.count ?? 0
        if known >= commits { ChildProcess.acknowledge(known) }
        while known < commits {
            let number = try await SharedRows.write(realm, writer)
            ChildProcess.acknowledge(number)
            if number >= commits { break }
            if number % 89 == writer { try await realm.compact() }
        }
        try await realm.close()
    }

    /// Applies the changes of a stream to a copy, and compares, until there are so many rows.
    static func follow(_ path: String, readOnly: Bool, _ total: Int) async throws {
        let realm = try await open(path, readOnly: readOnly)
        var copy: [String] = []
        var count = 0
        let rows = realm.objects(SharedRow.self)
        for try await change in rows.changes() {
            let present: FrozenResults<SharedRow>
            switch change {
            case .initial(let rows):
                present = rows
                copy = rows.map(text)
            case .update(let rows, let deletions, let insertions, _):
                present = rows
                for index in deletions.reversed() { copy.remove(at: index) }
                for index in insertions { copy.insert(text(rows[index]), at: index) }
                for index in change.newModifications { copy[index] = text(rows[index]) }
            }
            count += 1
            let isWhole = count % 50 == 1 || present.count == total
            if copy.count != present.count || isWhole && copy != present.map(text) {
                say("problem the changes do not lead to what there is, at change \(count)")
                exit(1)
            }
            if present.count == total { break }
        }
        if let failure = realm.failure { say("problem \(failure)") }
        try await realm.close()
    }

    /// A read-only follower needs a store that already has the classes.
    private static func open(_ path: String, readOnly: Bool) async throws -> Realm {
        while true {
            do {
                let realm = try await Realm.open(
                    SharedRows.configuration(path, readOnly: readOnly))
                if !readOnly || !realm.objects(SharedCounter.self).isEmpty { return realm }
                try await realm.close()
            } catch RealmError.fileNotFound where readOnly {
                // The writers have not created it yet.
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func text(_ row: Frozen<SharedRow>) -> String {
        "\(row.writer) \(row.order) \(row.touches)"
    }
}
