import StorageHarness
import Testing

@testable import Storage

/// Commits that a relaxed follower has shown, and that never became durable: the sync failed, and
/// the written bytes are lost.
@Suite struct LostVersionTests {
    private static func relaxed(_ options: inout LogOptions) {
        options.durability = .written
        options.segmentSizeMin = 256 << 10
        options.segmentSizeMax = 256 << 10
    }

    /// The current files of the log, to be restored later.
    private struct LogImage {
        private var files: [(path: String, bytes: [UInt8])] = []

        init(_ disk: SimulatedDisk) throws {
            for (path, _) in disk.files where path.hasSuffix(".log") {
                files.append((path, try disk.contents(of: path)))
            }
        }

        func restore(_ disk: SimulatedDisk) throws {
            for (path, bytes) in files { try disk.replace(path, with: bytes) }
        }
    }

    /// A store of which `follower` has shown `lost` commits that are lost.
    private struct Loss {
        let disk: SimulatedDisk
        let follower: StoreProcess
        let writer: StoreProcess
    }

    private static func lose(_ lost: Int64) throws -> Loss {
        let disk = SimulatedDisk()
        let follower = try StoreProcess(disk, relaxed)
        try follower.insert(0..<5)
        try follower.follower.releaseLease()
        let writer = try StoreProcess(disk, relaxed)
        let image = try LogImage(disk)
        for number in 0..<lost { try writer.insert(100 + number) }
        try follower.follower.follow()
        #expect(follower.numbers.count == 5 + Int(lost))
        disk.failNextSync(of: ".log")
        #expect(throws: StorageError.self) { try writer.follower.releaseLease() }
        try image.restore(disk)
        return Loss(disk: disk, follower: follower, writer: writer)
    }

    /// Lets a third process make `made` commits that replace the `lost` ones.
    private func withLoss(
        _ lost: Int64, _ made: Int64, _ body: (StoreProcess, StoreProcess) throws -> Void
    ) async throws {
        let loss = try Self.lose(lost)
        let other = try StoreProcess(loss.disk, Self.relaxed)
        #expect(other.numbers == [0, 1, 2, 3, 4])
        for number in 200..<200 + made {
            try other.insert(number..<number + 1, textLength: 300)
        }
        try other.log.sync()
        try body(loss.follower, other)
        await other.close()
        await loss.follower.close()
        await loss.writer.close()
    }

    /// If the new commits had the numbers of lost ones, or fewer, the follower failed permanently.
    @Test(
        "S7: a follower goes from commits that were lost to those in their place",
        arguments: [1, 2, 3], [1, 2, 3])
    func aFollowerSwitchesToTheReplacingCommits(lost: Int64, made: Int64) async throws {
        try await withLoss(lost, made) { follower, other in
            let before = follower.engine.latest
            try follower.follower.follow()
            #expect(follower.numbers == other.numbers)
            #expect(follower.contents == other.contents)
            let after = follower.engine.latest
            #expect(after.version == other.engine.latest.version)
            #expect(after.life == other.engine.latest.life && after.life != before.life)
            try other.insert(300)
            try follower.follower.follow()
            #expect(follower.numbers == other.numbers && follower.numbers.last == 300)
            #expect(try follower.problems() == [])
        }
    }

    /// The same if the follower becomes the writer.
    @Test(arguments: [1, 2, 3], [1, 2, 3])
    func theNextWriterSwitchesToTheReplacingCommits(lost: Int64, made: Int64) async throws {
        try await withLoss(lost, made) { follower, other in
            try other.follower.releaseLease()
            try follower.takeOver()
            #expect(follower.numbers == other.numbers)
            try follower.insert(300)
            try other.follower.follow()
            #expect(follower.numbers == other.numbers && other.numbers.last == 300)
            #expect(try follower.problems() == [])
        }
    }

    /// A follower takes the lease although nothing was written meanwhile.
    @Test func aNewWriterAfterALossContinuesTheRemainingLog() async throws {
        let loss = try Self.lose(1)
        let follower = loss.follower
        try follower.takeOver()
        #expect(follower.numbers == [0, 1, 2, 3, 4])
        try follower.insert(200)
        let numbers = follower.numbers
        await follower.close()
        await loss.writer.close()
        let again = try StoreProcess(loss.disk, Self.relaxed)
        #expect(again.numbers == numbers && numbers == [0, 1, 2, 3, 4, 200])
        await again.close()
    }
}
