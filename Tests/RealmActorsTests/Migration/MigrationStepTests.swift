import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

/// Numbered steps instead of one block.
@Suite struct MigrationStepTests {
    private func configuration(
        _ path: String, _ numbers: [UInt64], _ names: RanSteps
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(path: path, objectTypes: Before.types)
        configuration.migrationSteps = numbers.map { number in
            MigrationStep(number, "step \(number)") { _ in names.append(number) }
        }
        return configuration
    }

    private func open(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration)
        try await realm.close()
    }

    @Test func eachRunsOnceInTheOrderOfTheNumbers() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let log = RanSteps()
            try await open(configuration(path, [2, 1], log))
            #expect(log.take() == [1, 2])
            try await open(configuration(path, [1, 2], log))
            #expect(log.take() == [])
            // One that came later runs although its number lies in between.
            try await open(configuration(path, [1, 2, 4], log))
            try await open(configuration(path, [1, 2, 3, 4], log))
            #expect(log.take() == [4, 3])
            #expect(try Realm.schemaVersion(at: path) == 4)
            await #expect(throws: RealmError.schemaDowngrade(stored: 4, configured: 2)) {
                try await open(configuration(path, [1, 2], log))
            }
            #expect(try await Before.isIntact(path, version: 4))
        }
    }

    @Test func aNewStoreHasBeenThroughAll() async throws {
        try await withStorePath { path in
            let log = RanSteps()
            try await open(configuration(path, [1, 2], log))
            try await open(configuration(path, [1, 2, 3], log))
            #expect(log.take() == [3])
        }
    }

    @Test func aStoreThatWasMigratedByABlockGoesOnBehindItsVersion() async throws {
        try await withStorePath { path in
            try await Before.fill(path, version: 2)
            let log = RanSteps()
            try await open(configuration(path, [1, 2, 3], log))
            #expect(log.take() == [3])
        }
    }

    @Test func aStepThatFailsTakesTheOthersBack() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let log = RanSteps()
            var failing = configuration(path, [1], log)
            failing.migrationSteps.append(
                MigrationStep(2, "fails") { migration in
                    _ = try migration.deleteData(forType: "Person")
                    throw RealmError.invalidValue("no")
                })
            await #expect(throws: RealmError.invalidValue("no")) { try await open(failing) }
            #expect(try await Before.isIntact(path))
            try await open(configuration(path, [1], log))
            #expect(log.take() == [1, 1])
        }
    }

    /// It ran, although no migration was to run.
    @Test("Z11: a step that is due is a reason to begin anew, whatever its number")
    func aRealmIsBegunAnewInsteadOfAStep() async throws {
        try await withStorePath { path in
            let log = RanSteps()
            var realm = try await Realm.open(configuration(path, [1, 3], log))
            try await realm.write { tx in
                _ = try tx.create(Before.Draft.self, value: ["text": "d"])
            }
            try await realm.close()
            var changed = configuration(path, [1, 2, 3], log)
            changed.deleteIfMigrationNeeded = true
            #expect(try await Realm.migrationPlan(for: changed).outcome == .delete)
            realm = try await Realm.open(changed)
            #expect(log.take() == [] && realm.objects(Before.Draft.self).isEmpty)
            try await realm.close()
            #expect(try await Realm.migrationPlan(for: changed).outcome == .open)
        }
    }

    /// It was refused, for the name of a step that was not to run.
    @Test("Z11: a realm that needs a migration is begun anew, whatever its steps were called")
    func aRealmIsBegunAnewWhateverItsStepsWereCalled() async throws {
        try await withStorePath { path in
            let log = RanSteps()
            let realm = try await Realm.open(configuration(path, [1], log))
            try await realm.write { tx in
                _ = try tx.create(Before.Draft.self, value: ["text": "d"])
            }
            try await realm.close()
            var renamed = configuration(path, [], log)
            renamed.migrationSteps = [MigrationStep(1, "other") { _ in log.append(1) }]
            renamed.deleteIfMigrationNeeded = true
            // Nothing has to be migrated: the name is a mistake.
            await #expect(throws: RealmError.self) { try await open(renamed) }
            renamed.schemaVersion = 2
            #expect(try await Realm.migrationPlan(for: renamed).outcome == .delete)
            let fresh = try await Realm.open(renamed)
            #expect(log.take() == [] && fresh.objects(Before.Draft.self).isEmpty)
            try await fresh.close()
        }
    }

    /// What the page says of a store that has recorded steps before a block raised its version.
    @Test func aStoreThatHasRecordedStepsGoesByThose() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let log = RanSteps()
            try await open(configuration(path, [1], log))
            var block = configuration(path, [], log)
            block.schemaVersion = 5
            block.migration = { _, _ in log.append(50) }
            try await open(block)
            #expect(log.take() == [1, 50])
            try await open(configuration(path, [1, 2, 6], log))
            #expect(log.take() == [2, 6])
        }
    }

    @Test func stepsThatContradictThemselvesAreRefused() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let log = RanSteps()
            try await open(configuration(path, [1], log))
            var renamed = configuration(path, [], log)
            renamed.migrationSteps = [MigrationStep(1, "other") { _ in }]
            let twice = configuration(path, [1, 1], log)
            var both = configuration(path, [1], log)
            both.migration = { _, _ in }
            for wrong in [renamed, twice, both, configuration(path, [0], log)] {
                let error = await #expect(throws: RealmError.self) { try await open(wrong) }
                guard case .invalidValue = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }
}

/// The numbers of the steps that ran.
final class RanSteps: Sendable {
    private let numbers = Mutex<[UInt64]>([])

    func append(_ number: UInt64) { numbers.withLock { $0.append(number) } }

    func take() -> [UInt64] {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}
