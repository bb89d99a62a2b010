import StorageHarness
import Testing

@testable import Storage

/// The space reserved for a full disk, during handovers of the writer lease.
@Suite struct HandoverSpaceTests {
    private func reserveSize(_ disk: SimulatedDisk) -> Int {
        disk.files.first { $0.path == "store.realm/reserve" }?.length ?? 0
    }

    private func wanted(_ process: StoreProcess) -> Int {
        process.engine.reserveSize(process.engine.latest, process.checkpointer)
    }

    /// A process that had checked the reserve while another one wrote considered it whole, although
    /// it had been spent.
    @Test func aReserveSpentByAnotherProcessIsRefilled() async throws {
        let disk = SimulatedDisk()
        let first = try StoreProcess(disk)
        try first.insert(0..<50)
        try first.follower.releaseLease()
        let other = try StoreProcess(disk)
        try other.insert(50)
        // Like planning a compaction, during which the lease is taken.
        #expect(first.log.reserve.size > 0)
        other.log.releaseSpace()
        #expect(reserveSize(disk) == 0)
        try other.follower.releaseLease()

        try first.takeOver()
        try first.insert(51)
        #expect(first.log.reserve.isWhole)
        #expect(reserveSize(disk) >= wanted(first))
        await first.close()
        await other.close()
    }

    /// The size of the reserve was that of the store when this process wrote last.
    @Test func theReserveFollowsTheSizeWrittenByOthers() async throws {
        let disk = SimulatedDisk()
        let first = try StoreProcess(disk)
        try first.insert(0..<10)
        try first.engine.checkpoint()
        let small = reserveSize(disk)
        try first.follower.releaseLease()
        let other = try StoreProcess(disk)
        for begin in stride(from: Int64(10), to: 20_000, by: 500) {
            try other.insert(begin..<begin + 500, textLength: 100)
        }
        try other.engine.checkpoint()
        other.log.releaseSpace()
        try other.follower.releaseLease()

        try first.takeOver()
        try first.insert(100_000)
        #expect(wanted(first) > 2 * small)
        #expect(reserveSize(disk) >= wanted(first))
        #expect(first.log.reserve.isWhole)
        await first.close()
        await other.close()
    }

    /// On a full disk, each process detects that the other has spent the reserve: everything can be
    /// deleted, and written again.
    @Test(arguments: [false, true])
    func aFullDiskCanBeClearedAfterAHandover(copiesOnWrite: Bool) async throws {
        for seed in testSeeds(12) {
            var random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk()
            disk.limit(to: 300_000 + random.next(below: 300_000), copiesOnWrite: copiesOnWrite)
            let processes = [try StoreProcess(disk)]
            try processes[0].insert(0..<10)
            try processes[0].follower.releaseLease()
            let all = processes + [try StoreProcess(disk)]
            try all[1].follower.releaseLease()
            var number: Int64 = 10
            for _ in 0..<6 {
                let process = all[random.next(below: 2)]
                try process.takeOver()
                for _ in 0..<200 where !process.engine.isRefusing {
                    try process.insert(number..<number + 40, textLength: 60)
                    number += 40
                }
                if random.oneIn(2) {
                    let some = process.numbers.filter { _ in random.oneIn(3) }
                    try process.write { _ in process.delete(some) }
                }
                _ = all[random.next(below: 2)].log.reserve.size
                try process.follower.releaseLease()
            }
            for process in all {
                try process.takeOver()
                let before = process.numbers
                try process.write { _ in process.delete(before) }
                #expect(process.numbers == [], "SEED=\(seed)")
                try process.compact(isFull: true)
                try process.insert(number)
                number += 1
                #expect(process.numbers.count == 1, "SEED=\(seed)")
                #expect(process.engine.failure == nil, "SEED=\(seed)")
                try process.follower.releaseLease()
            }
            for process in all { await process.close() }
        }
    }

    /// The probe file of a process that was killed was never removed.
    @Test func theProbeOfAKilledProcessIsRemovedWhenSpaceIsShort() throws {
        let disk = SimulatedDisk()
        try disk.createDirectory("store.realm")
        try disk.open("store.realm/reserve.new", .create).allocate(100_000)
        disk.limit(to: 120_000)
        let reserve = SpaceReserve(
            fileSystem: disk, path: "store.realm/reserve", targetSize: 60_000)
        try reserve.refill()
        #expect(reserve.isWhole && !reserve.isShort)
        #expect(reserveSize(disk) == 60_000)
        #expect(try disk.list("store.realm") == ["reserve"])
    }
}
