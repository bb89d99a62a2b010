import StorageHarness
import Testing

@testable import Storage

/// The number of a version, with the life of its writer, identifies one commit.
@Suite struct VersionLifeTests {
    private func name(_ root: SnapshotRoot) -> [UInt64] { [root.version.rawValue, root.life] }

    /// A crash lost a commit of a relaxed store, and the next one got its number: the holder of a
    /// token of the first was told that nothing had changed.
    @Test func aLostCommitIsNotItsReplacement() async throws {
        let disk = SimulatedDisk()
        var store = try EngineHarness(disk, durability: .written)
        try await store.write(1)
        try (store.engine.log as? Log)?.sync()
        let kept = name(store.engine.latest)
        try await store.write(2)
        let lost = name(store.engine.latest)
        disk.crash(seed: 1, .nothing)
        store = try EngineHarness(disk, durability: .written)
        #expect(store.numbers == [1] && name(store.engine.latest) == kept)
        try await store.write(3)
        let found = store.engine.latest
        #expect(found.version.rawValue == lost[0] && name(found) != lost)
        #expect(throws: HistoryError.self) {
            _ = try HistoryCursor(
                behind: found.version, life: lost[1], of: store.engine)
        }
        try await store.write(4)
        #expect(throws: HistoryError.self) {
            _ = try HistoryCursor(
                behind: found.version, life: lost[1], of: store.engine)
        }
        var cursor = try HistoryCursor(behind: found.version, life: found.life, of: store.engine)
        let commits = try cursor.next(of: store.engine)
        #expect(commits?.map(\.life) == [found.life])
        await store.close()
    }

    /// The identity of a commit stays the same however often the store is opened, written to page
    /// files or read.
    @Test func aCommitKeepsItsName() async throws {
        let disk = SimulatedDisk()
        var names: Set<[UInt64]> = []
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        for round in 0..<6 {
            let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
            let engine = TransactionEngine(opened)
            if round == 0 {
                try engine.beginBody()
                _ = engine.tree.createRow(EngineHarness.item)
                engine.endBody(
                    try engine.encodeCommit(author: nil, time: 0), waiter: .nobody)
            }
            names.insert(name(engine.latest))
            if round % 2 == 1 {
                try engine.checkpoint(for: round == 3 ? .erasure : .replay, isForced: true)
            }
            names.insert(name(engine.latest))
            if round % 3 != 2 {
                await engine.close()
            }
            opening.options.readOnly = true
            let read = try opening.open(account: NodeAccount()) { $0 }
            names.insert([read.version.rawValue, read.log.lastLife])
            opening.options.readOnly = false
        }
        #expect(names.count == 1)
    }

    /// A process that took the lease without committing assigned its own life to the version:
    /// tokens of the version were no longer accepted.
    @Test func aWriterWithoutCommitsKeepsTheNamesOfVersions() async throws {
        for seed in testSeeds(40) {
            var random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk()
            var processes: [StoreProcess] = []
            for _ in 0..<3 {
                let process = try StoreProcess(disk)
                if process.log.isWriting {
                    try process.insert(Int64(processes.count))
                    try process.follower.releaseLease()
                }
                processes.append(process)
            }
            var number: Int64 = 10
            var lives: [Version: UInt64] = [:]
            for step in 0..<20 {
                let index = random.next(below: processes.count)
                let process = processes[index]
                try process.takeOver()
                switch random.next(below: 5) {
                case 0:
                    number += 1
                    try process.insert(number)
                case 1: try process.engine.checkpoint(for: .replay, isForced: true)
                case 2: try process.compact(isFull: true)
                case 3: try process.engine.checkpoint(for: .close, isForced: true)
                default: break
                }
                if random.oneIn(4) {
                    await process.close()
                    processes[index] = try StoreProcess(disk)
                }
                try processes[index].follower.releaseLease()
                for process in processes where random.oneIn(2) { try process.follower.follow() }
                for process in processes {
                    let (version, life) = (
                        process.engine.latest.version, process.engine.latest.life
                    )
                    let known = lives[version] ?? life
                    lives[version] = known
                    #expect(life == known, "SEED=\(seed) step \(step) version \(version)")
                    if life != known { return }
                }
            }
            for process in processes { await process.close() }
        }
    }

    /// A number that was disclosed to a transaction, which may have passed it on, is not assigned
    /// to another commit.
    @Test func aDisclosedNumberIsNotReused() async throws {
        let store = try EngineHarness(SimulatedDisk())
        try await store.write(1)
        let first = store.engine.latest.version
        try store.engine.beginBody()
        _ = store.engine.tree.createRow(EngineHarness.item)
        let seen = store.engine.captureBody().version
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        #expect(seen == first.next)
        try await store.write(2)
        let second = store.engine.latest.version
        #expect(second > seen)
        // A number that was not disclosed is assigned.
        try store.engine.beginBody()
        _ = store.engine.tree.createRow(EngineHarness.item)
        store.engine.rollBack()
        store.engine.endBody(nil, waiter: .nobody)
        try await store.write(3)
        #expect(store.engine.latest.version == second.next)
        await store.close()
    }
}
