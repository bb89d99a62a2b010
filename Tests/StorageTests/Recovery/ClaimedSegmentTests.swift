import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Segments that a transaction allocates before it is written.
@Suite struct ClaimedSegmentTests {
    private func segments(_ disk: SimulatedDisk) -> [(path: String, length: Int)] {
        disk.files.filter { $0.path.hasSuffix(".log") }
    }

    /// The space of a large transaction that a power failure had interrupted was lost until the log
    /// reached the numbers of its segments: on a small disk nothing could be written any more.
    @Test func unusedSegmentsAreRemovedByTheNextOpening() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        let before = segments(disk).count
        let image = Mutex<SimulatedDisk?>(nil)
        disk.observe { call in
            guard call.moment == .before, call.operation == .write, call.path.hasSuffix(".log"),
                disk.files.count(where: { $0.path.hasSuffix(".log") }) > before + 8
            else { return }
            image.withLock { $0 = $0 ?? disk.crashImage(seed: 1, .everything) }
        }
        try process.insert(1..<200, textLength: 600)
        disk.observe(nil)
        let cutOff = try #require(image.withLock { $0 })
        #expect(segments(cutOff).count > before + 8)
        let again = try StoreProcess(cutOff)
        #expect(again.numbers == [0])
        #expect(segments(cutOff).count <= before + 3)
        try again.insert(1..<200, textLength: 600)
        #expect(again.numbers.elementsEqual(0..<200))
        #expect(try again.problems() == [])
        await again.close()
    }

    /// A segment with contents may be needed to find the end of the log.
    @Test func segmentsWithContentsAreKept() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        await process.close()
        let last = UInt32(segments(disk).count)
        for number in last + 1...last + 3 {
            let path = "store.realm/log/" + SegmentIndex(number).fileName
            try disk.open(path, .create).writeZeros(from: 0, to: 8_192)
            if number == last + 3 { try disk.overwrite(path, with: [1], at: 100) }
        }
        let again = try StoreProcess(disk)
        let left = segments(disk).map(\.path)
        #expect(left.count == Int(last) + 2)
        #expect(left.last?.hasSuffix(SegmentIndex(last + 3).fileName) == true)
        #expect(again.numbers == [0])
        await again.close()
    }

    /// A process that took the writer lease over from a killed process did not remove them.
    @Test func unusedSegmentsAreRemovedByTheNextWriter() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0)
        try process.follower.releaseLease()
        let last = UInt32(segments(disk).count)
        for number in last + 1...last + 8 {
            let path = "store.realm/log/" + SegmentIndex(number).fileName
            try disk.open(path, .create).writeZeros(from: 0, to: 8_192)
        }
        try process.takeOver()
        #expect(segments(disk).count <= Int(last) + 1)
        try process.insert(1..<200, textLength: 600)
        #expect(process.numbers.elementsEqual(0..<200))
        #expect(try process.problems() == [])
        await process.close()
        let again = try StoreProcess(disk)
        #expect(again.numbers.elementsEqual(0..<200))
        await again.close()
    }
}
