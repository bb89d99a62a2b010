import Testing

@testable import Storage

/// Every sequence of events up to a length, checked against a model that is only a list of waiters.
@Suite struct CommitPipelineTests {
    enum Event: CaseIterable {
        case begin, commit, noCommit, take, synced, failed, refused, latch
    }

    static let failure = StorageError.io(operation: .sync, path: "log", errno: 5)

    @Test func everySequenceOfEvents() {
        var explored = 0
        Self.explore(Model(), depth: 14, &explored)
        #expect(explored > 10_000)
    }

    private static func explore(_ model: Model, depth: Int, _ explored: inout Int) {
        explored += 1
        guard depth > 0 else { return }
        for event in Event.allCases where model.allows(event) {
            var next = model
            next.perform(event)
            next.check()
            explore(next, depth: depth - 1, &explored)
        }
    }

    @Test func aSingleWriterSucceeds() throws {
        var pipeline = CommitPipeline<Int>()
        try pipeline.beginBody()
        #expect(pipeline.endBody(commit: Version(1), waiter: 10) == .takeGroup)
        #expect(pipeline.takeGroup() == .init(version: Version(1), commitCount: 1))
        #expect(pipeline.isSyncing && !pipeline.isDrained)
        let synced = pipeline.groupSynced()
        #expect(synced.version == Version(1) && synced.waiters == [10] && synced.next == .none)
        #expect(pipeline.isDrained)
    }

    @Test func aBodyWithoutChangesWaitsForTheVersionItRead() throws {
        var pipeline = CommitPipeline<Int>()
        try pipeline.beginBody()
        #expect(pipeline.endBody(commit: nil, waiter: 1) == .deliverNow)
        try pipeline.beginBody()
        #expect(pipeline.endBody(commit: Version(1), waiter: 2) == .takeGroup)
        _ = pipeline.takeGroup()
        try pipeline.beginBody()
        #expect(pipeline.endBody(commit: nil, waiter: 3) == .wait)
        #expect(pipeline.awaitTip(4) == .wait)
        #expect(pipeline.groupSynced().waiters == [2, 3, 4])
        #expect(pipeline.awaitTip(5) == .deliverNow)
    }

    @Test func aFailureDistinguishesSubmittedCommits() throws {
        var pipeline = CommitPipeline<Int>()
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: Version(1), waiter: 1)
        _ = pipeline.takeGroup()
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: nil, waiter: 2)
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: Version(2), waiter: 3)
        try pipeline.beginBody()
        let failed = pipeline.groupFailed(Self.failure)
        #expect(failed.map(\.waiter) == [1, 2, 3])
        let lost = StorageError.durabilityLost(cause: Self.failure)
        #expect(failed.map(\.error) == [.commitOutcomeUnknown(cause: Self.failure), lost, lost])
        #expect(pipeline.endBody(commit: Version(3), waiter: 4) == .fail(lost))
        #expect(throws: lost) { try pipeline.beginBody() }
    }
}

/// The pipeline with its expected state.
private struct Model {
    var pipeline = CommitPipeline<Int>()
    var version: UInt64 = 0
    var published: UInt64 = 0
    var nextWaiter = 0
    /// Waiters that were not resumed, with the version that they read or made.
    var pending: [Int: UInt64] = [:]
    var isOpen = false
    var isLatched = false
    var offersGroup = false
    var flight: UInt64?

    func allows(_ event: CommitPipelineTests.Event) -> Bool {
        switch event {
        case .begin: !isOpen && !isLatched && !offersGroup
        case .commit, .noCommit: isOpen
        case .take: offersGroup
        case .synced, .failed, .refused: flight != nil
        case .latch: !isLatched && !offersGroup
        }
    }

    mutating func perform(_ event: CommitPipelineTests.Event) {
        switch event {
        case .begin:
            isOpen = true
            #expect(throws: Never.self) { try pipeline.beginBody() }
        case .commit: end(version + 1)
        case .noCommit: end(nil)
        case .take:
            flight = version
            offersGroup = false
            #expect(pipeline.takeGroup().version.rawValue == version)
        case .synced:
            let synced = pipeline.groupSynced()
            let durable = synced.version.rawValue
            #expect(durable == flight && durable > published)
            let range = published + 1...durable
            published = durable
            flight = nil
            for waiter in synced.waiters {
                let seen = pending.removeValue(forKey: waiter) ?? 0
                #expect(range.contains(seen), "answered in its turn")
            }
            #expect(pending.values.allSatisfy { $0 > published }, "nobody is forgotten")
            offersGroup = synced.next == .takeGroup
        case .failed:
            answer(pipeline.groupFailed(CommitPipelineTests.failure))
            isLatched = true
            flight = nil
        case .refused:
            answer(pipeline.groupRefused(.outOfSpace(path: "log")))
            flight = nil
            version = published
        case .latch:
            for failed in pipeline.latch(CommitPipelineTests.failure) {
                #expect(pending.removeValue(forKey: failed.waiter) != nil)
            }
            isLatched = true
        }
    }

    private mutating func answer(_ failed: [CommitPipeline<Int>.Failed]) {
        for failed in failed { #expect(pending.removeValue(forKey: failed.waiter) != nil) }
        #expect(pending.isEmpty)
    }

    private mutating func end(_ commit: UInt64?) {
        isOpen = false
        nextWaiter += 1
        switch pipeline.endBody(commit: commit.map { Version($0) }, waiter: nextWaiter) {
        case .wait:
            #expect(flight != nil)
            version = commit ?? version
            pending[nextWaiter] = version
        case .takeGroup:
            #expect(flight == nil)
            version = commit ?? version
            pending[nextWaiter] = version
            offersGroup = true
        case .deliverNow:
            #expect(commit == nil && (version == published || isLatched))
        case .fail:
            break
        }
    }

    func check() {
        #expect(pipeline.isSyncing == (flight != nil))
        #expect((pipeline.latchedCause != nil) == isLatched)
        if flight == nil && !isOpen && !offersGroup {
            #expect(pending.isEmpty && pipeline.isDrained, "nobody waits for nothing")
        }
    }
}
