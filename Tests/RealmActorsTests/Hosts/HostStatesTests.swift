import Foundation
import Storage
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
                _ = hosts.watch { _ in
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
