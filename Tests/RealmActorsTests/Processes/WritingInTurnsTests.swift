import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Stores of which several openings write, as several processes do.
@Suite struct WritingInTurnsTests {
    @Test func whoFollowsTakesOverAndGivesBack() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let second = try await folder.open(1)
            try await second.write { tx in
                #expect(tx.objects(SharedParcel.self).count == 1)
                try tx.create(SharedParcel.self, value: ["id": 2])
            }
            try await first.write { tx in
                #expect(tx.objects(SharedParcel.self).count == 2)
                try tx.create(SharedParcel.self, value: ["id": 3])
            }
            #expect(await second.reaches(first.latestVersion))
            #expect(first.states == [1: 0, 2: 0, 3: 0] && second.states == first.states)
            try await first.close()
            try await second.close()
            let again = try await folder.open(2)
            #expect(again.states.count == 3)
            #expect(try await again.verify().problems.isEmpty)
            try await again.close()
        }
    }

    /// Many writers interleave without loss.
    @Test("S4: many writers interleave without loss", arguments: [false, true])
    func fourWritersLoseNothing(isRelaxed: Bool) async throws {
        try await SharedFolder.with { folder in
            let rounds = 150
            let durability: Realm.Configuration.Durability =
                isRelaxed ? .relaxed(every: .milliseconds(50)) : .fsync
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        try await Self.write(
                            rounds, as: writer, of: 4,
                            to: try await folder.open(writer, durability: durability))
                    }
                }
                try await group.waitForAll()
            }
            let realm = try await folder.open(0)
            #expect(realm.states.count == 4 * rounds + 1)
            #expect(realm.states[-1] == 4 * rounds)
            #expect(try await realm.verify().problems.isEmpty)
            try await realm.close()
        }
    }

    private static func write(
        _ rounds: Int, as writer: Int, of count: Int, to realm: Realm
    ) async throws {
        for round in 0..<rounds {
            try await realm.write { tx in
                try tx.create(SharedParcel.self, value: ["id": round * count + writer])
                let total =
                    try tx.object(SharedParcel.self, forPrimaryKey: -1)
                    ?? tx.create(SharedParcel.self, value: ["id": -1])
                total.state += 1
            }
        }
        try await realm.close()
    }

    /// The tree of a process that takes over is that of the newest checkpoint, whoever wrote it.
    @Test func checkpointsOfOneWriterAreGoneOnWithByTheNext() async throws {
        try await SharedFolder.with { folder in
            let realms = [try await folder.open(0), try await folder.open(1)]
            for round in 0..<12 {
                let realm = realms[round % 2]
                try await realm.write { tx in
                    for id in 0..<300 {
                        try tx.create(
                            SharedParcel.self, value: ["id": id, "state": round], update: .all)
                    }
                }
                if round % 3 == 2 { try await realm.compact() }
            }
            for realm in realms {
                #expect(await realm.reaches(realms[1].latestVersion))
                #expect(realm.states.values.allSatisfy { $0 == 11 } && realm.states.count == 300)
                #expect(realm.failure == nil)
            }
            for realm in realms { try await realm.close() }
            let again = try await folder.open(2)
            #expect(again.states.count == 300)
            #expect(try await again.verify().problems.isEmpty)
            try await again.close()
        }
    }

    @Test func aWriteThatWaitsTooLongNamesTheProcess() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let live = LiveHolder()
            try await live.begin(first)
            let second = try await folder.open(1, timeout: .milliseconds(50))
            let holder = "process \(ProcessInfo.processInfo.processIdentifier)"
            await #expect(throws: RealmError.writerBusy(holder: holder)) {
                try await second.write { tx in try tx.create(SharedParcel.self, value: ["id": 2]) }
            }
            try await live.commit()
            // The one that gave up does not keep the lock from others.
            try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 3]) }
            #expect(first.states.count == 2)
            try await second.close()
            try await first.close()
        }
    }

    /// Only the writer may add to the schema.
    @Test func anOpeningThatWaitsTooLongNamesTheProcess() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            let live = LiveHolder()
            try await live.begin(first)
            var configuration = Realm.Configuration(
                path: folder.name(1), objectTypes: [SharedParcel.self, AddedStamp.self],
                writeTimeout: .milliseconds(50))
            let process = ProcessInfo.processInfo.processIdentifier
            do {
                _ = try await Realm.open(configuration)
                Issue.record("Two writers")
            } catch RealmError.alreadyOpen(_, let difference) {
                #expect(difference == "process \(process) writes to it")
            }
            try await live.commit()
            configuration.writeTimeout = nil
            let second = try await Realm.open(configuration)
            try await second.write { tx in try tx.create(AddedStamp.self, value: ["value": 1]) }
            try await second.close()
            try await first.close()
        }
    }

    @Test func aCancelledWriteDoesNotRun() async throws {
        try await SharedFolder.with { folder in
            let waiting = try await WaitingWrite(folder)
            waiting.task.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.task.value }
            try await waiting.live.commit()
            try await waiting.second.write { tx in
                try tx.create(SharedParcel.self, value: ["id": 3])
            }
            #expect(waiting.second.states == [1: 0, 3: 0])
            try await waiting.second.close()
            try await waiting.first.close()
        }
    }

    @Test func aSuspendedStoreHoldsNoLockAndReadsOn() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0, timeout: .milliseconds(50))
            try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            try await first.suspend()
            try await first.suspend()
            #expect(try POSIXFileSystem().isLocked(folder.name(0) + "/writer.lock") == false)
            await #expect {
                try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 9]) }
            } throws: { error in
                isBusy(error, "suspend(), for ")
            }
            let second = try await folder.open(1)
            try await second.write { tx in try tx.create(SharedParcel.self, value: ["id": 2]) }
            #expect(await first.reaches(second.latestVersion))
            first.resume()
            first.resume()
            var isWritten = false
            while !isWritten {
                do {
                    try await first.write { tx in
                        try tx.create(SharedParcel.self, value: ["id": 3])
                    }
                    isWritten = true
                } catch RealmError.writerBusy(_) {
                    // On a busy machine the other store takes longer to release the writer lease.
                }
            }
            #expect(first.states.count == 3)
            try await first.suspend()
            try await first.close()
            try await second.close()
        }
    }

    /// A follower continues after a commit with a newer schema, without the added classes and
    /// properties.
    @Test func aFollowerGoesOnBehindAWiderSchema() async throws {
        try await SharedFolder.with { folder in
            let old = try await folder.open(0)
            try await old.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let new = try await Realm.open(
                .init(
                    path: folder.name(1), objectTypes: [SharedParcel.self, AddedStamp.self],
                    writeTimeout: nil))
            var commits = old.commits().makeAsyncIterator()
            try await new.write { tx in
                try tx.create(AddedStamp.self, value: ["value": 5])
                try tx.create(SharedParcel.self, value: ["id": 2])
            }
            #expect(await old.reaches(new.latestVersion))
            #expect(old.states.count == 2)
            let commit = try #require(try await commits.next())
            #expect(commit.classNames == ["SharedParcel"])
            try await old.write { tx in try tx.create(SharedParcel.self, value: ["id": 3]) }
            #expect(await new.reaches(old.latestVersion))
            #expect(new.states.count == 3 && new.objects(AddedStamp.self).count == 1)
            try await old.close()
            try await new.close()
        }
    }

    @Test func closingEndsAWriteThatWaitsForAnotherProcess() async throws {
        try await SharedFolder.with { folder in
            let waiting = try await WaitingWrite(folder)
            try await waiting.second.close()
            await #expect(throws: RealmError.closed) { try await waiting.task.value }
            try await waiting.live.commit()
            try await waiting.first.close()
        }
    }
}

/// A write that waits for the turn, which another handle on the store has.
private struct WaitingWrite {
    let first: Realm
    let second: Realm
    /// Has the turn of the first handle.
    let live = LiveHolder()
    /// The write of the second one.
    let task: Task<Void, any Error>

    init(_ folder: SharedFolder) async throws {
        first = try await folder.open(0)
        try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
        try await live.begin(first)
        let second = try await folder.open(1)
        self.second = second
        task = Task {
            try await second.write { tx in try tx.create(SharedParcel.self, value: ["id": 2]) }
            return
        }
        // So that it waits, most often, before anything else is done.
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// A class that not every process knows.
final class AddedStamp: Object {
    @Persisted var value: Int
}

/// Keeps a write of a live realm open.
actor LiveHolder {
    private var live: LiveRealm?

    func begin(_ realm: Realm) async throws {
        let live = try await realm.live()
        try await live.beginWrite()
        self.live = live
    }

    func commit() async throws { try await live?.commitWrite() }

    /// Whoever gave the lease up waited for a checkpoint with the write turn: a process could not
    /// write while its own checkpoint was written and another process had asked.
    @Test func writesGoOnWhileACheckpointIsWrittenAndAnotherProcessWaits() async throws {
        try await SharedFolder.with { folder in
            let files = GatedFiles()
            var configuration = Realm.Configuration(
                path: folder.name(0), objectTypes: [SharedParcel.self],
                writeTimeout: .seconds(5))
            configuration.fileSystem = files
            let first = try await Realm.open(configuration)
            try await first.write { tx in
                for id in 0..<300 { try tx.create(SharedParcel.self, value: ["id": id]) }
            }
            let second = try await folder.open(1)
            // A compaction begins with a checkpoint, which waits here.
            files.close(".pages", .create)
            let compaction = Task { try await first.compact() }
            await Task.detached { files.waitUntilReached() }.value
            let writing = Task {
                try await second.write { tx in
                    try tx.create(SharedParcel.self, value: ["id": 1_000])
                }
            }
            while try !files.isLocked(folder.path + "/store/writer.waiting") {
                try await Task.sleep(for: .milliseconds(5))
            }
            // The holder continues for a few milliseconds before it answers.
            for id in 300..<320 {
                try await first.write { tx in
                    try tx.create(SharedParcel.self, value: ["id": id])
                }
                try await Task.sleep(for: .milliseconds(2))
            }
            files.open()
            try await compaction.value
            try await writing.value
            #expect(await first.reaches(second.latestVersion))
            #expect(first.states.count == 321)
            #expect(try await first.verify().problems.isEmpty)
            try await second.close()
            try await first.close()
        }
    }
}
