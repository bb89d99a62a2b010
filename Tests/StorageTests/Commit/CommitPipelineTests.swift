import Testing

@testable import Storage

/// Every sequence of events up to a length, checked against a model that is only a list of waiters.
@Suite struct CommitPipelineTests {
    enum Event: CaseIterable {
        case begin, commit, noCommit, take, synced, failed, refused, inDoubt, latch
    }

    static let failure = StorageError.io(operation: .sync, path: "log", errno: 5)
    /// A failure of another part of the store.
    static let otherFailure = StorageError.io(operation: .write, path: "pages", errno: 5)
    /// Why the outcome of an append is unknown.
    static let silence = StorageError.sharedLogUnavailable(reason: "no response")

    @Test func everySequenceOfEvents() {
        var explored = 0
        Self.explore(Model(), depth: 14, &explored)
        #expect(explored > 20_000)
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

    /// What was collected on top of the group was certainly not written.
    @Test func anUnknownOutcomeIsThatOfSubmittedCommits() throws {
        var pipeline = CommitPipeline<Int>()
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: Version(1), waiter: 1)
        _ = pipeline.takeGroup()
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: nil, waiter: 2)
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: Version(2), waiter: 3)
        try pipeline.beginBody()
        let unknown = StorageError.commitOutcomeUnknown(cause: Self.silence)
        let failed = pipeline.groupRefused(unknown)
        #expect(failed.map(\.waiter) == [1, 2, 3])
        #expect(failed.map(\.error) == [unknown, Self.silence, Self.silence])
        #expect(pipeline.endBody(commit: Version(3), waiter: 4) == .fail(Self.silence))
        #expect(pipeline.isDrained && pipeline.latchedCause == nil)
        try pipeline.beginBody()
        #expect(pipeline.endBody(commit: Version(1), waiter: 5) == .takeGroup)
    }

    @Test(arguments: [
        StorageError.outOfSpace(path: "log"), .superseded, CommitPipelineTests.silence,
    ])
    func aRefusalIsThatOfAllCommits(refusal: StorageError) throws {
        var pipeline = CommitPipeline<Int>()
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: Version(1), waiter: 1)
        _ = pipeline.takeGroup()
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: nil, waiter: 2)
        try pipeline.beginBody()
        _ = pipeline.endBody(commit: Version(2), waiter: 3)
        try pipeline.beginBody()
        let failed = pipeline.groupRefused(refusal)
        #expect(failed.map(\.waiter) == [1, 2, 3])
        #expect(failed.map(\.error) == [refusal, refusal, refusal])
        #expect(pipeline.endBody(commit: Version(3), waiter: 4) == .fail(refusal))
        #expect(pipeline.isDrained && pipeline.latchedCause == nil)
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
    /// Those that have made their version.
    var committed: Set<Int> = []
    var isOpen = false
    /// The error that the running body must end with.
    var bodyError: StorageError?
    /// The failure that has stopped writing.
    var latched: StorageError?
    var isLatched: Bool { latched != nil }
    var offersGroup = false
    var flight: UInt64?

    func allows(_ event: CommitPipelineTests.Event) -> Bool {
        switch event {
        case .begin: !isOpen && !isLatched && !offersGroup
        case .commit, .noCommit: isOpen
        case .take: offersGroup
        case .synced, .failed, .refused, .inDoubt: flight != nil
        case .latch: !isLatched && !offersGroup
        }
    }

    mutating func perform(_ event: CommitPipelineTests.Event) {
        switch event {
        case .begin:
            isOpen = true
            bodyError = nil
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
            let cause = CommitPipelineTests.failure
            let lost = StorageError.durabilityLost(cause: cause)
            answer(
                pipeline.groupFailed(cause), submitted: .commitOutcomeUnknown(cause: cause),
                others: lost)
            latched = latched ?? cause
            flight = nil
        case .refused:
            let error = StorageError.outOfSpace(path: "log")
            answer(pipeline.groupRefused(error), submitted: error, others: error)
            rollBack()
        case .inDoubt:
            let cause = CommitPipelineTests.silence
            let unknown = StorageError.commitOutcomeUnknown(cause: cause)
            answer(pipeline.groupRefused(unknown), submitted: unknown, others: cause)
            rollBack()
        case .latch:
            latch()
        }
    }

    private mutating func rollBack() {
        flight = nil
        version = published
    }

    private mutating func latch() {
        let cause = CommitPipelineTests.otherFailure
        let lost = StorageError.durabilityLost(cause: cause)
        // The group at the disk can still become durable.
        let collected = pending.filter { $0.value > flight ?? published }
        if flight != nil || !collected.isEmpty { failBody(lost) }
        let failed = pipeline.latch(cause)
        #expect(failed.count == collected.count)
        for failed in failed {
            #expect(collected[failed.waiter] != nil && failed.error == lost)
            pending[failed.waiter] = nil
        }
        latched = cause
    }

    /// All waiters fail, those of commits in the group in flight with the error `submitted`.
    private mutating func answer(
        _ failed: [CommitPipeline<Int>.Failed], submitted: StorageError, others: StorageError
    ) {
        for failed in failed {
            let seen = pending.removeValue(forKey: failed.waiter)
            #expect(seen != nil)
            let isSubmitted = (seen ?? 0) <= flight ?? 0 && committed.contains(failed.waiter)
            #expect(failed.error == (isSubmitted ? submitted : others))
        }
        #expect(pending.isEmpty)
        failBody(others)
    }

    /// The first error of a running body is the one that it ends with.
    private mutating func failBody(_ error: StorageError) {
        if isOpen { bodyError = bodyError ?? error }
    }

    private mutating func end(_ commit: UInt64?) {
        isOpen = false
        nextWaiter += 1
        let action = pipeline.endBody(commit: commit.map { Version($0) }, waiter: nextWaiter)
        if let bodyError {
            #expect(action == .fail(bodyError))
            return
        }
        switch action {
        case .wait:
            #expect(flight != nil)
            keep(commit)
        case .takeGroup:
            #expect(flight == nil)
            keep(commit)
            offersGroup = true
        case .deliverNow:
            #expect(commit == nil && (version == published || isLatched))
        case .fail(let error):
            #expect(commit != nil)
            #expect(latched.map { error == .durabilityLost(cause: $0) } == true)
        }
    }

    private mutating func keep(_ commit: UInt64?) {
        version = commit ?? version
        pending[nextWaiter] = version
        if commit != nil { committed.insert(nextWaiter) }
    }

    func check() {
        #expect(pipeline.isSyncing == (flight != nil))
        #expect(pipeline.latchedCause == latched)
        if flight == nil && !isOpen && !offersGroup {
            #expect(pending.isEmpty && pipeline.isDrained, "nobody waits for nothing")
        }
    }
}
