import Foundation
import Storage
import StorageHarness
import Synchronization
import Testing

@testable import RealmActors

/// What is reported of how a host stands to the others.
@Suite struct HostStatesTests {
    /// The status changed while a new watcher was called with the one before, which it got last.
    @Test func aNewWatcherIsCalledWithOneStatusAfterTheOther() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            let hosts = try #require(first.sharing.store.hosts)
            let (begin, beginning) = AsyncStream.makeStream(of: Void.self)
            let (ended, ending) = AsyncStream.makeStream(of: Int.self)
            Thread.detachNewThread {
                let calls = Mutex(0)
                _ = hosts.statuses.watch { _ in
                    let number = calls.withLock { calls in
                        calls += 1
                        return calls
                    }
                    if number == 1 {
                        beginning.finish()
                        // Another host writes meanwhile.
                        Platform.pause(for: .milliseconds(500))
                    }
                    ending.yield(number)
                }
            }
            for await _ in begin {}
            try await second.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            var numbers = ended.makeAsyncIterator()
            let number = await numbers.next()
            #expect(number == 1)
            for realm in [first, second] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// The host fell behind, and nothing said why.
    @Test func aFailureToApplyCommitsIsReported() async throws {
        let engine = MemorySharedLog.Engine()
        let files = RefusingFiles(MemoryFileSystem()) { path, _ in
            guard path.hasSuffix("/horizon") else { return nil }
            return .io(operation: .open, path: path, errno: Platform.inputOutput)
        }
        try await withStorePath { path in
            let writer = try await Realm.open(configuration(path, engine))
            var observing = configuration("/states-\(UUID().uuidString).realm", engine)
            observing.fileSystem = files
            try await Realm.open(observing).close()
            // It has no file open that it needs for writing.
            let observer = try await Realm.open(observing)
            files.isRefusing = true
            try await writer.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            _ = await soon { observer.sharing.state.lastError != nil }
            let error = observer.sharing.state.lastError
            let isReported = if case .io? = error { true } else { false }
            #expect(isReported, "\(String(describing: error))")
            files.isRefusing = false
            let newest = try await observer.refreshed(.toNewest)
            #expect(newest.objects(Mark.self).map(\.number) == [1])
            #expect(observer.sharing.state.lastError == nil)
            for realm in [observer, writer] { try await realm.close() }
        }
    }

    // MARK: The sequence

    /// The elements of a sequence that ends; nil if it does not.
    private static func elements(
        _ states: AsyncStream<Realm.Sharing.State>
    ) async throws -> [Realm.Sharing.State]? {
        let end = EndSignal()
        let reading = Task {
            var elements: [Realm.Sharing.State] = []
            for await state in states { elements.append(state) }
            end.finish()
            return elements
        }
        for _ in 0..<60_000 where !end.hasFinished {
            try await Task.sleep(for: .milliseconds(1))
        }
        let hasEnded = end.hasFinished
        reading.cancel()
        let elements = await reading.value
        return hasEnded ? elements : nil
    }

    /// It never ended.
    @Test func theStatesEndWhenTheRealmIsClosed() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            let states = realm.sharing.states
            try await realm.suspend()
            realm.resume()
            try await realm.close()
            #expect(try await Self.elements(states)?.isEmpty == false)
            // Nor did one that began afterwards.
            #expect(try await Self.elements(realm.sharing.states)?.count == 1)
        }
    }

    @Test func theStatesContinueAfterAReopening() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(configuration(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            let states = first.sharing.states
            try await first.reopen()
            try await second.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            let host = second.sharing.host
            var iterator = states.makeAsyncIterator()
            var state = await iterator.next()
            while let found = state, found.lastWriter != host || found.leaseHolder != host {
                state = await iterator.next()
            }
            #expect(state?.lastWriter == host && state?.entriesBehind == 0)
            for realm in [first, second] { try await realm.close() }
            while await iterator.next() != nil {}
            // A realm that was closed and reopened has new ones.
            try await first.reopen()
            var again = first.sharing.states.makeAsyncIterator()
            #expect(await again.next()?.lastWriter == host)
            try await first.close()
            while await again.next() != nil {}
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// It never ended, although there is no other state.
    @Test func aRealmWithoutASharedLogHasOneState() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let states = try await Self.elements(realm.sharing.states)
            #expect(states?.map(\.isConnected) == [true])
            #expect(states?.map(\.versionsBehind) == [0])
        }
    }

    // MARK: Folders

    /// It was given the store that no other host sees, and wrote for itself alone.
    @Test func aSharedLogIsRefusedWhereTheRealmIsOpenWithoutOne() async throws {
        try await withStorePath { path in
            let shared = configuration(path, MemorySharedLog.Engine())
            var alone = shared
            alone.sharedLog = nil
            let realm = try await Realm.open(alone)
            await #expect(
                throws: RealmError.alreadyOpen(
                    path: realm.configuration.path ?? "", difference: "it is on no shared log")
            ) { try await Realm.open(shared) }
            try await realm.close()
        }
    }

    /// It was given the store of the other realm, and wrote into that.
    @Test func aFolderIsThatOfOneRealmOfASharedLog() async throws {
        try await withStorePath { path in
            let (engine, other) = (MemorySharedLog.Engine(), MemorySharedLog.Engine())
            var first = configuration(path, engine)
            first.sharedLog = Realm.SharedLog(named: "first") { MemorySharedLog(engine) }
            var second = configuration(path, other)
            second.sharedLog = Realm.SharedLog(named: "second") { MemorySharedLog(other) }
            let realm = try await Realm.open(first)
            let again = try await Realm.open(first)
            #expect(again == realm)
            let difference = "it is the realm 'first' of its shared log"
            await #expect(
                throws: RealmError.alreadyOpen(
                    path: realm.configuration.path ?? "", difference: difference)
            ) { try await Realm.open(second) }
            try await realm.close()
        }
    }
}
