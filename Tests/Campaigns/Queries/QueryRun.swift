import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization

/// The states of a realm, for the followers of its streams.
final class FreightStates: Sendable {
    private let states = Mutex<[(version: Realm.Version, rows: FreightRows)]>([])

    func add(_ version: Realm.Version, _ rows: FreightRows) {
        states.withLock { $0.append((version, rows)) }
    }

    /// The state of a version. The writer adds it when the write has returned.
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

/// The same queries on live results, which move from version to version.
private actor LiveFreights {
    private var live: LiveRealm?

    func check(
        _ queries: [FreightQuery], _ form: FreightForm, _ rows: FreightRows, in realm: Realm
    ) async throws {
        let live = if let live { live } else { try await realm.live() }
        self.live = live
        live.refresh()
        for query in queries { try query.check(live.objects(Freight.self), rows, "live") }
        try form.check(live.objects(Freight.self), rows, "live")
    }

    func end() { live = nil }
}

/// Random transactions, and random queries after each of them, as text and in each other form: on
/// committed and uncommitted changes, on held versions and on past versions; while streams of
/// queries, sections and groups maintain copies.
struct QueryRun {
    private static let transactionCount = 40
    /// The id of the last row, which meets the condition of every followed query.
    static let lastID = 1_000_000

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
        let followed = (0..<3).map { _ in followedQuery() }
        let (realm, states) = (realm, states)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, query) in followed.enumerated() {
                let results = try query.results(in: realm.objects(Freight.self))
                let follower = FreightFollower(query: query, states: states)
                group.addTask { try await follower.follow(results, everyVersion: number == 0) }
                group.addTask { try await follower.followSections(results) }
                group.addTask { try await follower.followGroups(results, number: number) }
            }
            do {
                for _ in 0..<Self.transactionCount { try await transaction() }
                try await finish()
                try await group.waitForAll()
            } catch {
                group.cancelAll()
                throw error
            }
        }
        await live.end()
        try await checkPast()
    }

    /// A query to be followed, which has results in the end. Excludes queries with objects as
    /// arguments, which may be deleted later.
    private mutating func followedQuery() -> FreightQuery {
        var query = random.freightQuery()
        while !query.clause.freights.isEmpty { query = random.freightQuery() }
        let last = FreightClause("id == \(Self.lastID)") { row, _ in row.id == Self.lastID }
        var followed = FreightQuery(
            clause: query.clause.or(last), order: query.order, rank: query.rank)
        followed.distinct = query.distinct
        followed.limit = query.limit.map { max(1, $0) }
        return followed
    }

    /// The last transaction, which every stream reports: it changes every object, and no earlier
    /// groups have such sums.
    private mutating func finish() async throws {
        var steps: [FreightStep] = []
        for var row in rows.all {
            row.code += 100
            steps.append(.update(row))
        }
        var last = random.freight(Self.lastID, among: [])
        last.seal = Self.lastID
        steps.append(.create(last))
        for step in steps { rows.apply(step) }
        try await commit(steps)
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
        let form = random.freightForm()
        try form.check(snapshot.objects(Freight.self), rows, "version \(snapshot.version)")
        let asked = [random.freightQuery(), random.freightQuery()]
        try await live.check(asked, random.freightForm(), rows, in: realm)
        queries += 4
    }

    /// Commits steps that result in ``rows``, and runs queries before the end of the transaction.
    private mutating func commit(_ steps: [FreightStep]) async throws {
        let (rows, inside) = (rows, (0..<3).map { _ in random.freightQuery() })
        let form = random.freightForm()
        try await realm.write { tx in
            for step in steps { try step.run(tx) }
            for query in inside {
                try query.check(tx.objects(Freight.self), rows, "not committed")
            }
            try form.check(tx.objects(Freight.self), rows, "not committed")
        }
        if rows.hasDuplicates { throw Violation("values that are to be unique came twice") }
        queries += inside.count + 1
        states.add(realm.latestVersion, rows)
    }

    private mutating func check(
        _ snapshot: Snapshot, _ rows: FreightRows, _ place: String
    ) throws {
        let query = random.freightQuery()
        let freights = snapshot.objects(Freight.self)
        try query.check(freights, rows, place)
        try query.checkPages(freights, rows, 1 + random.next(below: 40))
        queries += 1
    }

    /// Checks every version again, from the history.
    private mutating func checkPast() async throws {
        try await realm.compact()
        for (version, rows) in states.all {
            let past = try await realm.snapshot(asOf: version)
            for _ in 0..<2 { try check(past, rows, "as of \(version)") }
            let form = random.freightForm()
            try form.check(past.objects(Freight.self), rows, "as of \(version)")
            queries += 1
        }
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
            // In every other case, trees are repeatedly read from the disk.
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
