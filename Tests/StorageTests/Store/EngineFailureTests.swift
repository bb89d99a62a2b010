import StorageHarness
import Testing

@testable import Storage

/// Transactions on a disk that fails, fills up and loses power.
@Suite struct EngineFailureTests {
    @Test(arguments: [true, false])
    func aFailedSyncLatches(inPlace: Bool) async throws {
        let disk = SimulatedDisk()
        let store = try EngineHarness(disk, inPlace: inPlace)
        try await store.write(1)
        disk.resetCalls()
        for call in 1...4 { disk.inject(.init(.failedSync, call: call)) }
        do {
            try await store.write(2)
            Issue.record("The sync did not fail")
        } catch StorageError.commitOutcomeUnknown(let cause) {
            if case .io(.sync, _, _) = cause {} else { Issue.record("\(cause)") }
        }
        do {
            try await store.write(3)
            Issue.record("The store is not latched")
        } catch StorageError.durabilityLost {}
        #expect(store.numbers == [1] && store.engine.failure != nil)
        await store.close()
        disk.crash(seed: 1)
        let again = try EngineHarness(disk)
        let numbers = try #require(again.numbers)
        #expect(numbers == [1] || numbers == [1, 2])
        try await again.write(4)
        await again.close()
    }

    /// The first write after a failure elsewhere, such as that of a checkpoint, was reported as
    /// having an unknown outcome, with its whole group.
    @Test(arguments: [true, false])
    func aWriteToALogThatHasStoppedIsNotInDoubt(inPlace: Bool) async throws {
        let disk = SimulatedDisk()
        let store = try EngineHarness(disk, inPlace: inPlace)
        try await store.write(1)
        let path = "store.realm/superblock"
        store.engine.log.fail(.io(operation: .write, path: path, errno: Platform.inputOutput))
        for number in 2...3 {
            do {
                try await store.write(number)
                Issue.record("The store still writes")
            } catch StorageError.durabilityLost(.io(.write, _, _)) {}
        }
        #expect(store.numbers == [1] && store.engine.failure != nil)
        await store.close()
        let again = try EngineHarness(disk)
        #expect(again.numbers == [1])
        await again.close()
    }

    /// So was a write if the disk failed before anything of it was written.
    @Test(arguments: [true, false])
    func aWriteWithoutASegmentIsNotInDoubt(inPlace: Bool) async throws {
        let disk = SimulatedDisk()
        let store = try EngineHarness(disk, inPlace: inPlace)
        try await store.write(1)
        disk.resetCalls()
        disk.inject(.init(.inputOutput, call: 1, isLasting: true))
        for number in 2...3 {
            do {
                try await store.write(number, textLength: 9_000)
                Issue.record("The store still writes")
            } catch StorageError.durabilityLost(.io) {}
        }
        #expect(store.numbers == [1] && store.engine.failure != nil)
        await store.close()
        disk.resetCalls()
        let again = try EngineHarness(disk)
        #expect(again.numbers == [1])
        await again.close()
    }

    /// The failure was only detected by the next write.
    @Test func aFailedSyncBetweenWritesLatchesAtOnce() async throws {
        let disk = SimulatedDisk()
        let store = try EngineHarness(disk, durability: .written)
        try await store.write(1)
        disk.resetCalls()
        for call in 1...4 { disk.inject(.init(.failedSync, call: call)) }
        // The engine calls back exactly once.
        let result = await withUnsafeContinuation { continuation in
            store.engine.sync { continuation.resume(returning: $0) }
        }
        #expect(throws: StorageError.self) { try result.get() }
        #expect(store.engine.failure != nil)
        await #expect(throws: StorageError.self) { try await store.write(2) }
        #expect(store.numbers == [1])
        await store.close()
    }

    @Test func aFullDiskRefusesAndWritingContinues() async throws {
        let disk = SimulatedDisk()
        let store = try EngineHarness(disk)
        var acknowledged: [Int] = []
        for number in 1...40 {
            disk.resetCalls()
            if number % 4 == 0 { disk.inject(.init(.noSpace, call: 1, isLasting: true)) }
            // Longer than the allocated space, so that a full disk is detected.
            do {
                try await store.write(number, textLength: number % 4 == 0 ? 9_000 : 20)
                acknowledged.append(number)
            } catch StorageError.outOfSpace {
                #expect(number % 4 == 0)
            }
            #expect(store.numbers == acknowledged)
        }
        #expect(acknowledged.count == 30 && store.engine.failure == nil)
        await store.close()
        disk.resetCalls()
        let again = try EngineHarness(disk)
        #expect(again.numbers == acknowledged)
        await again.close()
    }

    @Test func crashesLeaveAPrefixWithAllThatWasAcknowledged() async throws {
        for seed in testSeeds(60) {
            var random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk()
            var acknowledged: [Int] = []
            var next = 1
            for _ in 0..<4 {
                disk.resetCalls()
                let store = try EngineHarness(disk)
                let found = try #require(store.numbers, "SEED=\(seed)")
                #expect(found.starts(with: acknowledged), "SEED=\(seed)")
                #expect(found.count <= acknowledged.count + 1, "SEED=\(seed)")
                acknowledged = found
                disk.resetCalls()
                let kind = SimulatedDisk.Fault.Kind.allCases[random.next(below: 4)]
                disk.inject(.init(kind, call: 1 + random.next(below: 60)))
                for _ in 0..<random.next(below: 30) {
                    defer { next += 1 }
                    do {
                        let length = random.next(below: 8) == 0 ? 5_000 : 30
                        try await store.write(next, textLength: length)
                        acknowledged.append(next)
                    } catch StorageError.outOfSpace {
                        continue
                    } catch {
                        break
                    }
                }
                #expect(store.numbers == acknowledged, "SEED=\(seed)")
                disk.crash(seed: random.next())
            }
        }
    }

    @Test func nothingIsLeftInMemory() async throws {
        let account = NodeAccount()
        do {
            let store = try EngineHarness(SimulatedDisk(), account: account, inPlace: false)
            var held: [SnapshotRoot] = []
            for number in 1...200 {
                try await store.write(number)
                if number % 10 == 0 { held.append(store.engine.latest) }
                try store.engine.beginBody()
                _ = store.engine.tree.createRow(EngineHarness.item)
                store.engine.rollBack()
                store.engine.endBody(nil, waiter: .nobody)
            }
            #expect(held.count == 20 && account.nodeCount > 0)
            await store.close()
        }
        // The log thread releases its last references a little later.
        try await wait { account.nodeCount == 0 }
        #expect(account.nodeCount == 0 && account.byteCount == 0)
    }
}
