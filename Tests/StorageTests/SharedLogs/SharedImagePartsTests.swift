import Synchronization
import Testing

@testable import Storage

/// The parts of an image, which are read ahead while they are processed.
@Suite struct SharedImagePartsTests {
    /// Records which parts were read.
    private final class Reads: Sendable {
        private let numbers = Mutex<[Int]>([])

        var all: [Int] { numbers.withLock { $0 } }

        func note(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private static func part(_ number: Int) -> SharedImagePart {
        SharedImagePart(
            realm: .zero, slot: .first, number: UInt64(number), contents: [UInt8(number)])
    }

    @Test(arguments: [true, false], [0, 1, 2, 9])
    func eachPartAfterTheHeaderIsReadOnce(isAhead: Bool, count: Int) throws {
        let reads = Reads()
        let parts = SharedImageParts(count, isAhead: isAhead) { (number, _) throws(StorageError) in
            reads.note(number)
            return Self.part(number)
        }
        var taken: [UInt8] = []
        while let contents = try parts.takeNext() { taken += contents }
        parts.end()
        let expected = Array(1..<max(count, 1))
        #expect(taken == expected.map { UInt8($0) })
        #expect(reads.all == expected)
    }

    @Test(arguments: [true, false]) func aFailureComesInItsPlace(isAhead: Bool) throws {
        let parts = SharedImageParts(9, isAhead: isAhead) { (number, _) throws(StorageError) in
            if number == 3 { throw .sharedLogTrimmed(first: 7) }
            return Self.part(number)
        }
        defer { parts.end() }
        #expect(try parts.takeNext() == [1])
        #expect(try parts.takeNext() == [2])
        #expect(throws: StorageError.sharedLogTrimmed(first: 7)) { try parts.takeNext() }
    }

    /// The caller may close the log after ending the reading.
    @Test func endedReadingReadsNoMore() throws {
        let reads = Reads()
        let parts = SharedImageParts(9, isAhead: true) { (number, _) throws(StorageError) in
            reads.note(number)
            return Self.part(number)
        }
        #expect(try parts.takeNext() == [1])
        parts.end()
        #expect(reads.all == [1, 2])
    }

    /// Ending waited as long as the engine did not answer.
    @Test func endedReadingDoesNotRetry() throws {
        let parts = SharedImageParts(9, isAhead: true) { (number, monitor) throws(StorageError) in
            guard number == 2 else { return Self.part(number) }
            while !monitor.isCancelled { Platform.pause(for: .milliseconds(1)) }
            throw .sharedLogUnavailable(reason: "cut off")
        }
        #expect(try parts.takeNext() == [1])
        parts.end()
    }
}
