import Foundation
import Testing

@testable import RealmActors

/// When results are evaluated, how often, and what a cancelled task gets of it.
@Suite struct EvaluationTests {
    private static func fill(_ tx: WriteTransaction) throws {
        for number in 0..<20_000 {
            try tx.create(KennelOwner.self, value: ["name": "Kennel \(number % 777)"])
        }
    }

    private func withKennels(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm([KennelOwner.self, KennelDog.self]) { realm in
            try await realm.write { tx in try Self.fill(tx) }
            try await body(realm)
        }
    }

    /// Where the list of rows lies: evaluated twice, there would be two.
    // Unsafe: the address is compared, and nothing is read from it.
    private func place<Found: QueryableResults>(_ found: Found) -> UnsafeRawPointer? {
        found._rows.keys.withUnsafeBytes { $0.baseAddress }
    }

    @Test func resultsAreEvaluatedWhenFirstNeededAndOnce() async throws {
        try await withKennels { realm in
            let found = realm.objects(KennelOwner.self).where { $0.name.contains("77") }
                .sorted(by: \.name)
            let copy = found
            #expect(!found._rows.isEvaluated)
            #expect(place(found) == place(copy))
            #expect(found._rows.isEvaluated && copy._rows.isEvaluated)
            #expect(place(found) == place(copy))
        }
    }

    @Test func whatLooksAtAllRowsKeepsWhatItFound() async throws {
        try await withKennels { realm in
            let owners = realm.objects(KennelOwner.self)
            let firstFew = owners.sorted(by: \.name).limit(100)
            #expect(firstFew.count == 100 && !firstFew._rows.isEvaluated)
            #expect(firstFew.first?.name == "Kennel 0")
            #expect(firstFew._rows.isEvaluated)
            let distinct = owners.distinct(by: \.name)
            #expect(distinct.count == 777 && distinct._rows.isEvaluated)
            let matching = owners.where { $0.name.contains("77") }.sorted(by: \.name).limit(7)
            #expect(matching.count == 7 && matching._rows.isEvaluated)
            let last = owners.where { $0.name.contains("77") }.sorted(by: \.name)
            #expect(last.last?.name == "Kennel 776" && last._rows.isEvaluated)
        }
    }

    @Test func countsAndEmptinessEvaluateNoOrder() async throws {
        try await withKennels { realm in
            let owners = realm.objects(KennelOwner.self)
            let found = owners.where { $0.name.contains("77") }.sorted(by: \.name)
            #expect(!found.isEmpty && found.count == owners.where { $0.name.contains("77") }.count)
            #expect(!found._rows.isEvaluated)
            #expect(owners.sorted(by: \.name).limit(30_000).count == 20_000)
            #expect(owners.sorted(by: \.name).limit(0).isEmpty)
            let none = owners.where { $0.name == "nobody" }.sorted(by: \.name)
            #expect(none.isEmpty && none.limit(3).isEmpty)
            #expect(none.first == nil && none.last == nil && none.limit(3).last == nil)
        }
    }

    @Test func objectsAreFoundByPositionsAndConditions() async throws {
        try await withKennels { realm in
            let found = realm.objects(KennelOwner.self).sorted(by: \.name, ascending: false)
            let place = try #require(found.index(matching: { $0.name == "Kennel 99" }))
            #expect(found[place].name == "Kennel 99")
            #expect(place == 0 || found[place - 1].name != "Kennel 99")
            #expect(found.index(matching: { $0.name == "nobody" }) == nil)
            let few = found.objects(at: [0, 5, 9000])
            #expect(few.map { $0.name } == [found[0].name, found[5].name, found[9000].name])
        }
    }

    @Test("D28: distinct and where apply in the order of the calls")
    func stagesApplyInTheOrderOfTheCalls() throws {
        let dogs = try Kennels.filled().dogs()
        let first = try dogs.distinct(by: ["mood"]).where { $0.number > 0 }
        #expect(first.values(of: \.number) == [3])
        let second = try dogs.where { $0.number > 0 }.distinct(by: ["mood"])
        #expect(second.values(of: \.number) == [1, 3])
    }

    @Test func awaitedResultsShareTheEvaluation() async throws {
        try await withKennels { realm in
            let found = realm.objects(KennelOwner.self).where { $0.name.contains("77") }
            let copy = found
            let evaluated = try await found.evaluated()
            #expect(found._rows.isEvaluated && copy._rows.isEvaluated)
            #expect(evaluated._rows === found._rows)
            #expect(place(evaluated) == place(copy))
            let expected = (0..<20_000).count { "Kennel \($0 % 777)".contains("77") }
            #expect(evaluated.count == expected)
            // Once more costs nothing, and changes nothing.
            let again = try await evaluated.evaluated()
            #expect(place(again) == place(copy))
        }
    }

    /// Runs `body` in a task that is cancelled before it begins.
    private func cancelled<R: Sendable>(
        _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await body()
        }
        task.cancel()
        return try await task.value
    }

    @Test func aCancelledTaskGetsAnErrorAndNoFewerObjects() async throws {
        try await withKennels { realm in
            let found = realm.objects(KennelOwner.self).where { $0.name.contains("77") }
                .sorted(by: \.name)
            await #expect(throws: CancellationError.self) {
                try await cancelled { try await found.evaluated() }
            }
            #expect(!found._rows.isEvaluated)
            // What does not throw is right all the same.
            let count = try await cancelled { found.map { $0.name }.count }
            #expect(count == (0..<20_000).count { "Kennel \($0 % 777)".contains("77") })
            #expect(found._rows.isEvaluated)
        }
    }

    /// How many rows are looked at that are known by their keys.
    private static func lookedAt(
        _ found: FrozenResults<KennelOwner>, _ cancellation: EvaluationCancellation
    ) -> Int {
        var count = 0
        let plan = found._plan
        RowStream.keys(found.rowKeys).forEachRow(
            plan.context.view, plan.query.classID, cancellation
        ) { _ in
            count += 1
            return true
        }
        return count
    }

    /// What an index had found was sorted, and looked through for distinct values, to the end.
    @Test func rowsThatAnIndexHasFoundAreNotAllLookedAtInACancelledTask() async throws {
        try await withKennels { realm in
            let found = realm.objects(KennelOwner.self)
            #expect(Self.lookedAt(found, .cooperative) == 20_000)
            let (some, all) = try await cancelled {
                (Self.lookedAt(found, .cooperative), Self.lookedAt(found, .ignored))
            }
            #expect(some < 20_000 && all == 20_000)
        }
    }

    /// Cancelled at any moment, an evaluation throws or is complete.
    @Test func anEvaluationIsCompleteOrThrows() async throws {
        try await withKennels { realm in
            let all = realm.objects(KennelOwner.self)
            let expected = (0..<20_000).filter { "Kennel \($0 % 777)".contains("7") }.count
            for round in 0..<40 {
                let found =
                    round % 2 == 0
                    ? all.where { $0.name.contains("7") }.sorted(by: \.name)
                    : all.distinct(by: \.name).where { $0.name.contains("7") }
                let task = Task { try await found.evaluated().count }
                for _ in 0..<(round * 3) { await Task.yield() }
                task.cancel()
                let complete =
                    round % 2 == 0
                    ? expected : (0..<777).filter { "Kennel \($0)".contains("7") }.count
                switch await task.result {
                case .success(let count): #expect(count == complete)
                case .failure(let error):
                    #expect(error is CancellationError)
                }
                #expect(found.count == complete)
                #expect(found._rows.keys.count == complete)
            }
        }
    }

    /// A realm whose rows were damaged on the disk, and have not been read since.
    private func withDamagedKennels(_ body: (Realm) async throws -> Void) async throws {
        try await withStorePath { path in
            let types: [ObjectBase.Type] = [KennelOwner.self, KennelDog.self]
            let full = try await Realm.open(.init(path: path, objectTypes: types))
            try await full.write { tx in try Self.fill(tx) }
            try await full.close()
            try damagePages(of: path)
            let realm = try await Realm.open(.init(path: path, objectTypes: types))
            try await body(realm)
            try? await realm.close()
        }
    }

    /// What cannot be read is an error, not a text that is not there.
    @Test func whatCannotBeReadIsAnError() async throws {
        try await withDamagedKennels { realm in
            let found = realm.objects(KennelOwner.self).where { $0.name.contains("77") }
            await #expect(throws: RealmError.self) { try await found.evaluated() }
            #expect(!found._rows.isEvaluated)
            #expect(realm.failure != nil)
        }
    }

    /// A page without them passed for the last one.
    @Test(arguments: [0, 30]) func aPageOfWhatCannotBeReadIsAnError(_ offset: Int) async throws {
        try await withDamagedKennels { realm in
            let found = realm.objects(KennelOwner.self).where { $0.name.contains("77") }
            #expect(throws: RealmError.self) { try found.page(offset: offset, limit: 10) }
        }
    }

    @Test @MainActor func liveResultsAreEvaluatedOffTheirActor() async throws {
        try await withFreshRealm([KennelOwner.self, KennelDog.self]) { realm in
            try await realm.write { tx in try Self.fill(tx) }
            let live = try await realm.live()
            let found = live.objects(KennelOwner.self).where { $0.name == "Kennel 5" }
            let evaluated = try await found.evaluated()
            #expect(found._rows.isEvaluated)
            #expect(evaluated.count == found.count)
            let before = found.count
            try await live.write { found.first?.name = "Other" }
            #expect(found.count == before - 1)
            try await found.evaluated()
            #expect(found.count == before - 1)
        }
    }
}
