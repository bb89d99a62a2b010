import Foundation
import RealmActors
import Storage
import Testing

/// What processes see of each other.
@Suite struct LeaseContentionTests {
    private static func add(_ id: Int, to realm: Realm) async throws {
        try await realm.write { tx in
            // The state says how many were there before.
            let count = tx.objects(SharedParcel.self).count
            try tx.create(SharedParcel.self, value: ["id": id, "state": count])
        }
    }

    @Test("S3: others open and read while a process holds the writer lease")
    func readersProceed() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            try await Self.add(1, to: first)
            let live = LiveHolder()
            try await live.begin(first)
            #expect(try POSIXFileSystem().isLocked(folder.name(0) + "/writer.lock"))
            for readOnly in [true, false] {
                let reader = try await folder.open(1, readOnly: readOnly)
                #expect(reader.states == [1: 0] && reader.failure == nil)
                #expect(try await reader.verify().isIntact)
                let copy = folder.path + "/copy-\(readOnly)"
                try await reader.writeCopy(to: copy)
                #expect(Realm.exists(at: copy))
                try await reader.close()
            }
            try await live.commit()
            try await first.close()
        }
    }

    /// An opening that waited for another process could not be cancelled, and neither could one
    /// that waited for this opening.
    @Test func openingsThatWaitCanBeCancelled() async throws {
        try await SharedFolder.with { folder in
            let files = POSIXFileSystem()
            // Another process makes the store, for as long as it takes.
            var lock = try files.lock(folder.path + "/store/writer.lock")
            #expect(lock != nil)
            let waiting = folder.path + "/store/writer.waiting"
            let first = Task { try await folder.open(0, timeout: .seconds(600)) }
            for _ in 0..<60_000 where try !files.isLocked(waiting) {
                try await Task.sleep(for: .milliseconds(1))
            }
            let second = Task { try await folder.open(0, timeout: .seconds(600)) }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(try !files.isLocked(waiting))
            withExtendedLifetime(lock) {}
            lock = nil
            let realm = try await folder.open(0)
            try await Self.add(1, to: realm)
            #expect(realm.states == [1: 0])
            try await realm.close()
        }
    }

    @Test("S6: opening and only reading is no change to anybody")
    func noSpuriousChanges() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            try await Self.add(1, to: first)
            var commits = first.commits().makeAsyncIterator()
            let changes = try await ChangeLog(first.objects(SharedParcel.self))
            let version = first.latestVersion
            for readOnly in [true, false, true] {
                let reader = try await folder.open(1, readOnly: readOnly)
                #expect(reader.states.count == 1 && reader.latestVersion == version)
                try await reader.close()
            }
            #expect(first.latestVersion == version)
            let second = try await folder.open(2)
            try await Self.add(2, to: second)
            // The first that either of them hears is the commit.
            #expect(try await commits.next()?.insertions(of: SharedParcel.self).count == 1)
            #expect(await changes.next() == "2 -[] +[1] *[]")
            try await second.close()
            try await first.close()
        }
    }

    /// That the second waits shows in a lock, which it also takes for a moment before it waits; the
    /// third comes after it for certain.
    @Test("S4: a process that waits for the writer lease gets it in turn")
    func inTurn() async throws {
        try await SharedFolder.with { folder in
            let realms = [
                try await folder.open(0), try await folder.open(1), try await folder.open(2),
            ]
            try await Self.add(0, to: realms[0])
            let live = LiveHolder()
            try await live.begin(realms[0])
            let second = Task { try await Self.add(1, to: realms[1]) }
            var lockedInTurn = 0
            while lockedInTurn < 20 {
                try await Task.sleep(for: .milliseconds(1))
                let isLocked = try POSIXFileSystem().isLocked(folder.name(0) + "/writer.waiting")
                lockedInTurn = isLocked ? lockedInTurn + 1 : 0
            }
            let third = Task { try await Self.add(2, to: realms[2]) }
            try await live.commit()
            try await second.value
            try await third.value
            #expect(await realms[0].reaches(realms[2].latestVersion))
            #expect(realms[0].states == [0: 0, 1: 1, 2: 2])
            for realm in realms { try await realm.close() }
        }
    }

    /// A thread continued to wait for the lock of a write that had timed out, and took it while the
    /// process was suspended.
    @Test("2.9 suspend: no lock is waited for, whoever had wanted it")
    func suspendedBehindAWriter() async throws {
        try await SharedFolder.with { folder in
            let files = POSIXFileSystem()
            let first = try await folder.open(0)
            try await Self.add(0, to: first)
            let second = try await folder.open(1)
            let live = LiveHolder()
            try await live.begin(first)
            let writing = Task { try await Self.add(1, to: second) }
            while try !files.isLocked(folder.name(0) + "/writer.waiting") { await Task.yield() }
            writing.cancel()
            try await second.suspend()
            #expect(try !files.isLocked(folder.name(0) + "/writer.waiting"))
            await #expect(throws: CancellationError.self) { try await writing.value }
            try await live.commit()
            try await first.suspend()
            #expect(try !files.isLocked(folder.name(0) + "/writer.lock"))
            second.resume()
            try await Self.add(2, to: second)
            // The write that was cancelled made nothing.
            #expect(second.states == [0: 0, 2: 1])
            try await second.close()
            try await first.close()
        }
    }
}
