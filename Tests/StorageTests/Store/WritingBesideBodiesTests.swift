import StorageHarness
import Testing

@testable import Storage

/// Groups are written while the bodies after them run.
@Suite struct WritingBesideBodiesTests {
    /// A log that calls a closure while it writes a group, and records their commit counts.
    // Unchecked: all of a test runs on its thread.
    private final class BusyLog: Journal, @unchecked Sendable {
        var written: [Int] = []
        var whileWriting: [() throws -> Void] = []
        /// The error of the next group.
        var refusal: StorageError?

        var end: LogEnd? { nil }
        var life: UInt64 { 0 }
        var lastLife: UInt64 { 0 }
        var failure: StorageError? { nil }
        var isWriting: Bool { true }
        var segments: Log? { nil }

        func append(_ group: CommitGroupBuffer) throws(StorageError) {
            written.append(group.recordCount)
            if whileWriting.isEmpty { return }
            let action = whileWriting.removeFirst()
            do { try action() } catch { Issue.record("\(error)") }
            if let refusal { throw refusal }
        }

        func fail(_ error: StorageError) {}
        func sync() throws(StorageError) {}
        func close() throws(StorageError) {}
    }

    private let log = BusyLog()
    private let engine: TransactionEngine

    init() {
        let tree = WorkingTree(schema: EngineHarness.schema, account: NodeAccount())
        engine = TransactionEngine(
            tree: tree, version: .zero, log: log, appendsInPlace: true,
            publish: { _, makeLatest in makeLatest() })
    }

    private func begin() throws {
        try engine.beginBody()
        _ = engine.tree.createRow(EngineHarness.item)
    }

    private func end(releaseTurn: () -> Void = {}) throws {
        let version = try engine.encodeCommit(author: nil, time: 0)
        engine.endBody(version, waiter: .nobody, releaseTurn: releaseTurn)
    }

    private var rows: Int { engine.latest.view.classView(EngineHarness.item).count }

    @Test func theTurnIsReleasedBeforeTheGroupIsWritten() throws {
        var events: [String] = []
        log.whileWriting = [{ events.append("written") }]
        try begin()
        try end { events.append("passed") }
        #expect(events == ["passed", "written"])
    }

    /// Commits that are made during a write are written by the same thread afterwards, in one
    /// group.
    @Test func commitsDuringAWriteAreWrittenNext() throws {
        log.whileWriting = [
            {
                for _ in 0..<3 {
                    try begin()
                    try end()
                }
                #expect(log.written == [1])
                #expect(rows == 0)
            },
            {
                #expect(rows == 1)
                try begin()
                try end()
            },
        ]
        try begin()
        try end()
        #expect(log.written == [1, 3, 1])
        #expect(rows == 5)
    }

    /// Commits that a body continues are written when the body has ended, not while it runs.
    @Test func aRunningBodyIsNotSealed() throws {
        log.whileWriting = [
            {
                try begin()
                try end()
                try begin()
            }
        ]
        try begin()
        try end()
        #expect(log.written == [1])
        #expect(rows == 1)
        try end()
        #expect(log.written == [1, 2])
        #expect(rows == 3)
    }

    /// A body that runs on top of a group that could not be written ends with its error.
    @Test func aBodyOnTopOfAFailedGroupIsRefused() async throws {
        log.refusal = .io(operation: .write, path: "log", errno: 5)
        log.whileWriting = [{ try begin() }]
        try begin()
        try end()
        let version = try engine.encodeCommit(author: nil, time: 0)
        await #expect(throws: StorageError.self) {
            try await engine.end(version)
        }
        #expect(rows == 0)
        #expect(throws: StorageError.self) { try engine.beginBody() }
    }
}
