import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization

/// The states that a realm went through, for those who follow it.
final class FreightStates: Sendable {
    private let states = Mutex<[(version: Realm.Version, rows: FreightRows)]>([])

    func add(_ version: Realm.Version, _ rows: FreightRows) {
        states.withLock { $0.append((version, rows)) }
    }

    /// The state of a version. The one who writes notes it when the write has returned.
    func rows(_ version: Realm.Version) async throws -> FreightRows {
        while true {
            if let found = states.withLock({ $0.last { $0.version == version } }) {
                return found.rows
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    var all: [(version: Realm.Version, rows: FreightRows)] { states.withLock { $0 } }
}

/// The same questions to live results, which move from version to version.
private actor LiveFreights {
    private var live: LiveRealm?

    func check(_ queries: [FreightQuery], _ rows: FreightRows, in realm: Realm) async throws {
        let live = if let live { live } else { try await realm.live() }
        self.live = live
        live.refresh()
        for query in queries { try query.check(live.objects(Freight.self), rows, "live") }
    }

    func end() { live = nil }
}

/// Random transactions, and after each of them random queries: on what is committed, on what is not
/// yet, on versions that were held and on versions of the past; while streams of queries and groups
/// keep copies by what they are told.
struct QueryRun {
    private static let transactionCount = 40
    /// The last row, which every stream that is followed meets.
    private static let lastID = 1_000_000

    let realm: Realm
    private let states = FreightStates()
    private var random: SeededGenerator
    private var rows = FreightRows()
    private var nextID = 0
    private var held: [(snapshot: Snapshot, rows: FreightRows)] = []
    private let live = LiveFreights()
    private(set) var queries = 0

    init(_ realm: Realm, seed: UInt64) {
        self.realm = realm
        random = SeededGenerator(seed: seed)
    }

    mutating func run() async throws {
        var steps: [FreightStep] = []
        while steps.count < 150 {
            let before = rows
            steps.append(step())
            guard rows.hasDuplicates else { continue }
            rows = before
            steps.removeLast()
        }
        try await commit(steps)
        let followed = (0..<3).map { _ in
            var query = random.freightQuery()
            let last = FreightClause("id == \(Self.lastID)") { row, _ in row.id == Self.lastID }
            query = FreightQuery(
                clause: query.clause.or(last), order: query.order, rank: query.rank)
            return query
        }
        let (realm, states) = (realm, states)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for query in followed {
                let results = try query.results(in: realm.objects(Freight.self))
                group.addTask { try await Self.follow(results, query, states) }
                group.addTask { try await Self.followGroups(results, query, states) }
            }
            do {
                for _ in 0..<Self.transactionCount { try await transaction() }
                var last = random.freight(Self.lastID, among: [])
                // No groups before have such a sum.
                last.seal = Self.lastID
                rows.apply(.create(last))
                try await commit([.create(last)])
                try await group.waitForAll()
            } catch {
                group.cancelAll()
                throw error
            }
        }
        await live.end()
        try await checkPast()
    }

    private mutating func step() -> FreightStep {
        let step = random.freightStep(rows, nextID: &nextID)
        rows.apply(step)
        return step
    }

    private mutating func transaction() async throws {
        let before = (rows, nextID)
        let steps = (0..<1 + random.next(below: 8)).map { _ in step() }
        do {
            try await commit(steps)
        } catch RealmError.duplicateValues where rows.hasDuplicates {
            (rows, nextID) = before
        }
        let snapshot = realm.snapshot()
        for _ in 0..<8 { try check(snapshot, rows, "version \(snapshot.version)") }
        if random.oneIn(5) { held.append((snapshot, rows)) }
        if held.count > 3 { held.remove(at: random.next(below: held.count)) }
        for (snapshot, rows) in held { try check(snapshot, rows, "held \(snapshot.version)") }
        try await live.check([random.freightQuery(), random.freightQuery()], rows, in: realm)
        queries += 2
    }

    /// Commits steps whose outcome ``rows`` are, and asks before the end of the transaction.
    private mutating func commit(_ steps: [FreightStep]) async throws {
        let (rows, inside) = (rows, (0..<3).map { _ in random.freightQuery() })
        try await realm.write { tx in
            for step in steps { try step.run(tx) }
            for query in inside {
                try query.check(tx.objects(Freight.self), rows, "not committed")
            }
        }
        if rows.hasDuplicates { throw Violation("values that are to be unique came twice") }
        queries += inside.count
        states.add(realm.latestVersion, rows)
    }

    private mutating func check(
        _ snapshot: Snapshot, _ rows: FreightRows, _ place: String
    ) throws {
        let query = random.freightQuery()
        let freights = snapshot.objects(Freight.self)
        try query.check(freights, rows, place)
        if query.distinct == nil, query.limit == nil {
            try query.checkPages(freights, rows, 1 + random.next(below: 40))
        }
        queries += 1
    }

    /// Every version again, from the history.
    private mutating func checkPast() async throws {
        try await realm.compact()
        for (version, rows) in states.all {
            let past = try await realm.snapshot(asOf: version)
            for _ in 0..<2 { try check(past, rows, "as of \(version)") }
        }
    }

    // MARK: Streams

    /// Keeps the identities of a query's objects by what its stream tells, and compares.
    private static func follow(
        _ results: FrozenResults<Freight>, _ query: FreightQuery, _ states: FreightStates
    ) async throws {
        var ids: [Int] = []
        var before = FreightRows()
        for try await change in results.changes() {
            let now = change.collection
            let rows = try await states.rows(now.snapshot.version)
            let expected = query.naive(rows).map(\.id)
            switch change {
            case .initial: ids = now.map(\.id)
            case .update(_, let deletions, let insertions, let modifications):
                let told = Set(modifications.map { ids[$0] })
                for index in deletions.reversed() { ids.remove(at: index) }
                for index in insertions { ids.insert(now[index].id, at: index) }
                let came = Set(insertions.map { now[$0].id })
                for id in ids where rows[id] != before[id] && !told.contains(id) {
                    if came.contains(id) { continue }
                    throw Violation("\(query.text): \(id) has changed, and nobody was told")
                }
            }
            try query.require(now.map(\.id), expected, "stream at \(now.snapshot.version)")
            try query.require(ids, expected, "changes at \(now.snapshot.version)")
            before = rows
            if rows[lastID] != nil { return }
        }
        throw Violation("\(query.text): the stream ended early")
    }

    /// Compares what a stream of groups tells with the states, none of which it may go back from.
    private static func followGroups(
        _ results: FrozenResults<Freight>, _ query: FreightQuery, _ states: FreightStates
    ) async throws {
        let stream = results.grouped(by: \.port).changes(
            .count, .sum(of: \.seal), .average(of: \.weight))
        var position = 0
        for try await groups in stream {
            let told = groups.map { "\($0.key) \($0.value)" }.sorted()
            while true {
                let all = states.all
                let found = all[position...].firstIndex { measures(query.naive($0.rows)) == told }
                if let found {
                    position = found
                    break
                }
                if all.last?.rows[lastID] != nil {
                    throw Violation("\(query.text): no version has the groups \(told)")
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            if measures(query.naive(states.all[position].rows)) == told,
                let last = states.all.last, last.rows[lastID] != nil,
                measures(query.naive(last.rows)) == told
            {
                return
            }
        }
        throw Violation("\(query.text): the stream of groups ended early")
    }

    private static func measures(_ rows: [FreightRow]) -> [String] {
        Dictionary(grouping: rows, by: \.port).map { port, rows in
            let seals = rows.reduce(0) { $0 + ($1.seal ?? 0) }
            let value = (rows.count, seals, rows.compactMap(\.weight).mean)
            return "\(port) \(value)"
        }.sorted()
    }
}

extension Campaign {
    /// Every operator, kind of index, order, page, group and stream of queries.
    static let queries = Campaign(
        id: "C26", title: "random queries on every kind of index", unit: "queries",
        shortCount: { 4 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            var configuration = Realm.Configuration(
                path: directory + "/queries.realm", objectTypes: [Freight.self, FreightPlace.self],
                durability: .relaxed(every: .milliseconds(50)), history: .keep(bytes: 64 << 20))
            // Every other one reads its trees from the disk, again and again.
            if seed % 2 == 1 { configuration.memoryBudget = 1 << 20 }
            let realm = try await Realm.open(configuration)
            var run = QueryRun(realm, seed: seed)
            try await run.run()
            guard try await realm.verify().isIntact else { throw Violation("the store is damaged") }
            try await realm.close()
            return run.queries
        }
    }
}
