import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// The common behaviour of all engines of shared logs. Each check has a log of its own, and opens
/// as many handles of it as it needs.
struct SharedLogConformance: Sendable, CustomTestStringConvertible {
    typealias Open = () throws -> any SharedLog

    let name: String
    let check: @Sendable (Open) throws -> Void

    var testDescription: String { name }

    private init(_ name: String, _ check: @escaping @Sendable (Open) throws -> Void) {
        self.name = name
        self.check = check
    }

    static let all = [
        empty, slotsAreWrittenOnce, largeAndEmpty, readingIsBounded, prefixes, oneOfManyWins,
        trimmed, waiting, waitingTakesItsTime, waking, wakingBefore, messages, images,
        imagesArriveWhole, closing, closingEndsAWait,
    ]

    static let empty = Self("a new log is empty") { open in
        let log = try open()
        #expect(try log.head() == SharedLogHead(first: .first, next: .first))
        #expect(try log.entries(from: .first, bytesMax: 100).isEmpty)
        #expect(try log.images().isEmpty)
        try log.barrier()
    }

    static let slotsAreWrittenOnce = Self("a slot is written once, in order") { open in
        let (one, other) = (try open(), try open())
        #expect(try !one.append([9], at: LogSlot(2)))
        #expect(try !one.append([9], at: LogSlot(0)))
        #expect(try one.append([1], at: .first))
        #expect(try !other.append([2], at: .first))
        #expect(try !one.append([1], at: .first))
        #expect(try other.append([2], at: LogSlot(2)))
        let expected = [
            SharedLogEntry(slot: .first, bytes: [1]), SharedLogEntry(slot: LogSlot(2), bytes: [2]),
        ]
        for log in [one, other] {
            try log.barrier()
            #expect(try log.entries(from: .first, bytesMax: 100) == expected)
            #expect(try log.entries(from: LogSlot(2), bytesMax: 100) == [expected[1]])
            #expect(try log.entries(from: LogSlot(3), bytesMax: 100).isEmpty)
            #expect(try log.head() == SharedLogHead(first: .first, next: LogSlot(3)))
            // It knows at most what there is.
            #expect(log.knownNext.map { $0 <= LogSlot(3) } ?? true)
        }
    }

    static let largeAndEmpty = Self("entries of any size") { open in
        let log = try open()
        let large = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
        #expect(try log.append([], at: .first))
        #expect(try log.append(large, at: LogSlot(2)))
        let read = try log.entries(from: .first, bytesMax: 5 << 20)
        #expect(read.map(\.bytes.count) == [0, large.count])
        #expect(read.last?.bytes == large)
    }

    static let readingIsBounded = Self("a read has at most so many bytes, and one entry") { open in
        let log = try open()
        for slot in 1...5 {
            let entry = [UInt8](repeating: UInt8(slot), count: 100)
            #expect(try log.append(entry, at: LogSlot(UInt64(slot))))
        }
        func slots(_ from: UInt64, _ bytesMax: Int) throws -> [UInt64] {
            try log.entries(from: LogSlot(from), bytesMax: bytesMax).map(\.slot.rawValue)
        }
        #expect(try slots(1, 250) == [1, 2])
        #expect(try slots(3, 300) == [3, 4, 5])
        #expect(try slots(2, 0) == [2])
        #expect(try slots(5, 99) == [5])
    }

    static let prefixes = Self("entries are read up to so many bytes") { open in
        let log = try open()
        let entries: [[UInt8]] = [[], [1], [UInt8](repeating: 2, count: 100_000), [3, 3, 3]]
        for (slot, entry) in zip(UInt64(1)..., entries) {
            #expect(try log.append(entry, at: LogSlot(slot)))
        }
        let found = try log.entries(from: LogSlot(2), prefix: 2)
        #expect(found.map(\.slot.rawValue) == [2, 3, 4])
        #expect(found.map(\.bytes) == [[1], [2, 2], [3, 3]])
        #expect(try log.entries(from: LogSlot(5), prefix: 2).isEmpty)
        try log.trim(below: LogSlot(3), imagesBelow: nil)
        #expect(throws: SharedLogError.trimmed(first: LogSlot(3))) {
            try log.entries(from: LogSlot(2), prefix: 2)
        }
    }

    static let oneOfManyWins = Self("of several hosts one gets a slot") { open in
        let logs = try (0..<3).map { _ in try open() }
        let wins = Tally()
        inParallel(logs.count) { host in
            for slot in 1...40 {
                let isFirst = try logs[host].append([UInt8(host)], at: LogSlot(UInt64(slot)))
                if isFirst { wins.add() }
                // A host that has lost continues once the slot is filled.
                #expect(try logs[host].head().next > LogSlot(UInt64(slot)))
            }
        }
        #expect(wins.count == 40)
        #expect(try logs[0].entries(from: .first, bytesMax: 1000).count == 40)
    }

    static let trimmed = Self("what was trimmed is said to be") { open in
        let log = try open()
        for slot in 1...6 { #expect(try log.append([UInt8(slot)], at: LogSlot(UInt64(slot)))) }
        try log.trim(below: LogSlot(4), imagesBelow: nil)
        #expect(try log.head() == SharedLogHead(first: LogSlot(4), next: LogSlot(7)))
        #expect(throws: SharedLogError.trimmed(first: LogSlot(4))) {
            try log.entries(from: LogSlot(3), bytesMax: 100)
        }
        #expect(try log.entries(from: LogSlot(4), bytesMax: 100).map(\.bytes) == [[4], [5], [6]])
        try log.trim(below: LogSlot(2), imagesBelow: nil)
        #expect(try log.head().first == LogSlot(4))
        #expect(try !log.append([1], at: LogSlot(1)))
        try log.trim(below: LogSlot(100), imagesBelow: nil)
        #expect(try log.head() == SharedLogHead(first: LogSlot(7), next: LogSlot(7)))
        #expect(try log.entries(from: LogSlot(7), bytesMax: 100).isEmpty)
        #expect(try log.append([7], at: LogSlot(7)))
    }
}

// MARK: Waiting

extension SharedLogConformance {
    static let waiting = Self("a wait ends with the entry") { open in
        let (one, other) = (try open(), try open())
        _ = try other.wait(for: .first, atMost: .milliseconds(1))
        inParallel(2) { thread in
            if thread == 0 {
                #expect(try one.append([1], at: .first))
            } else {
                while try other.head().next == .first {
                    _ = try other.wait(for: .first, atMost: .seconds(60))
                }
            }
        }
        #expect(try other.wait(for: .first, atMost: .seconds(60)).isEmpty)
    }

    static let waitingTakesItsTime = Self("a wait for nothing ends by itself") { open in
        let log = try open()
        for _ in 0..<3 {
            #expect(try log.wait(for: .first, atMost: .milliseconds(20)).isEmpty)
        }
    }

    static let waking = Self("a wait can be ended") { open in
        let log = try open()
        let hasEnded = DispatchSemaphore(value: 0)
        inParallel(2) { thread in
            if thread == 0 {
                for _ in 0..<3 { _ = try log.wait(for: .first, atMost: .seconds(60)) }
                hasEnded.signal()
            } else {
                while hasEnded.wait(timeout: .now() + .milliseconds(1)) == .timedOut { log.wake() }
            }
        }
    }

    static let wakingBefore = Self("waking counts for the next wait") { open in
        let log = try open()
        _ = try log.wait(for: .first, atMost: .zero)
        log.wake()
        #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
    }

    static let messages = Self("messages arrive in order") { open in
        let (one, other) = (try open(), try open())
        _ = try other.wait(for: .first, atMost: .milliseconds(1))
        let sent: [[UInt8]] = [[], [0, 1, 255], [UInt8](repeating: 7, count: 1000)]
        for message in sent { try one.send(message) }
        var received: [[UInt8]] = []
        while received.count < sent.count {
            let more = try other.wait(for: .first, atMost: .seconds(60))
            guard !more.isEmpty else { break }
            received += more
        }
        #expect(received == sent)
        #expect(try other.wait(for: .first, atMost: .zero).isEmpty)
    }

    static let closing = Self("nothing goes on after the end") { open in
        let (log, other) = (try open(), try open())
        #expect(try log.append([1], at: .first))
        log.close()
        log.close()
        let calls: [() throws -> Void] = [
            { _ = try log.append([2], at: LogSlot(2)) }, { _ = try log.head() },
            { _ = try log.entries(from: .first, bytesMax: 1) }, { try log.barrier() },
            { _ = try log.wait(for: LogSlot(2), atMost: .seconds(60)) }, { try log.send([1]) },
            { _ = try log.images() }, { try log.trim(below: .first, imagesBelow: nil) },
        ]
        for call in calls { #expect(throws: SharedLogError.closed, performing: call) }
        #expect(try other.head().next == LogSlot(2))
    }

    static let closingEndsAWait = Self("the end ends a wait") { open in
        let log = try open()
        inParallel(2) { thread in
            if thread == 0 {
                #expect(throws: SharedLogError.closed) {
                    while true { _ = try log.wait(for: .first, atMost: .seconds(60)) }
                }
            } else {
                log.close()
            }
        }
    }
}

// MARK: Images

extension SharedLogConformance {
    static let images = Self("images are added, read and removed") { open in
        let (one, other) = (try open(), try open())
        for slot in 1...4 { #expect(try one.append([UInt8(slot)], at: LogSlot(UInt64(slot)))) }
        let older = try add([[1, 2], [3]], at: 2, to: one)
        let newer = try add([[4], [5, 6], [7]], at: 4, to: other)
        #expect(try one.images() == [newer, older])
        #expect(try other.part(0, of: older) == [1, 2])
        #expect(try one.part(2, of: newer) == [7])
        // Another image of the same slot changes nothing.
        let again = try add([[9], [9], [9], [9]], at: 4, to: one)
        #expect(try one.images() == [newer, older])
        #expect(throws: SharedLogError.self) { try one.part(3, of: again) }
        try one.trim(below: .first, imagesBelow: LogSlot(4))
        #expect(try other.images() == [newer])
        #expect(throws: SharedLogError.trimmed(first: .first)) { try other.part(0, of: older) }
        #expect(try other.part(1, of: newer) == [5, 6])
        #expect(try other.head() == SharedLogHead(first: .first, next: LogSlot(5)))
    }

    private struct Interruption: Error {}

    static let imagesArriveWhole = Self("an image that is not complete does not count") { open in
        let log = try open()
        #expect(try log.append([1], at: .first))
        let image = SharedLogImage(slot: LogSlot(2), parts: 2, bytes: 2)
        var parts: [[UInt8]] = [[1]]
        #expect(throws: Interruption.self) {
            try log.addImage(image) {
                guard let next = parts.popLast() else { throw Interruption() }
                return next
            }
        }
        #expect(try log.images().isEmpty)
        parts = [[1]]
        #expect(throws: SharedLogError.refused(SharedLogImage.otherParts)) {
            try log.addImage(image) { parts.popLast() }
        }
        #expect(try log.images().isEmpty)
        #expect(try add([[1], [2]], at: 2, to: log) == image)
        #expect(try log.images() == [image])
    }

    private static func add(
        _ parts: [[UInt8]], at slot: UInt64, to log: any SharedLog
    ) throws -> SharedLogImage {
        let image = SharedLogImage(
            slot: LogSlot(slot), parts: parts.count, bytes: parts.reduce(0) { $0 + $1.count })
        var rest = parts[...]
        try log.addImage(image) { rest.popFirst() }
        return image
    }
}

/// Runs `body` on several threads, and returns when all have ended.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Platform.runOnThread {
            do { try body(index) } catch { Issue.record(error) }
            group.leave()
        }
    }
    group.wait()
}

/// Counts events of several threads.
final class Tally: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func add() { value.withLock { $0 += 1 } }
}
