import Foundation
import Storage
import Testing

@testable import RealmActors

/// Stores that follow what another opening of the same files writes, as another process does.
@Suite struct FollowingTests {
    @Test("S1: a follower sees what the writer commits")
    func aFollowerSeesWhatTheWriterCommits() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let follower = try await folder.open(1)
            #expect(follower.states == [1: 0])
            for state in 1...20 {
                try await writer.write { tx in
                    tx.object(SharedParcel.self, forPrimaryKey: 1)?.state = state
                    try tx.create(SharedParcel.self, value: ["id": state * 10])
                }
            }
            #expect(await follower.reaches(writer.latestVersion))
            #expect(follower.states == writer.states && follower.states[1] == 20)
            try await writer.close()
            #expect(follower.states[1] == 20)
            try await follower.close()
        }
    }

    /// Readers proceed while another process holds the write lock.
    @Test func aReadOnlyRealmFollowsAndWritesNothing() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let reader = try await folder.open(1, readOnly: true)
            #expect(reader.states == [1: 0])
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 2]) }
            #expect(await reader.reaches(writer.latestVersion))
            #expect(reader.states == [1: 0, 2: 0])
            await #expect(throws: RealmError.readOnly) {
                try await reader.write { tx in try tx.deleteAll() }
            }
            try await reader.close()
            try await writer.close()
        }
    }

    /// Without a write of its own, a process that follows did not learn that the files of its realm
    /// were gone.
    @Test func aFollowerReportsThatItsRealmWasDeleted() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let reader = try await folder.open(1, readOnly: true)
            #expect(reader.states == [1: 0])
            try await writer.close()
            #expect(try Realm.deleteFiles(at: folder.path + "/store"))
            for _ in 0..<60_000 where reader.failure == nil {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(reader.failure != nil)
            #expect(reader.states == [1: 0])
            try? await reader.close()
        }
    }

    @Test func aRelaxedFollowerSeesWhatIsWritten() async throws {
        try await SharedFolder.with { folder in
            let relaxed = Realm.Configuration.Durability.relaxed(every: .seconds(3600))
            let writer = try await folder.open(0, durability: relaxed)
            let follower = try await folder.open(1, durability: relaxed)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 7]) }
            #expect(await follower.reaches(writer.latestVersion))
            #expect(follower.states == [7: 0])
            try await follower.close()
            try await writer.close()
        }
    }

    /// Observers in process B get the same diff as those in A.
    @Test("S1: streams of a follower deliver what those of the writer deliver")
    func streamsOfAFollowerTellWhatThoseOfTheWriterTell() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in
                for id in 0..<10 { try tx.create(SharedParcel.self, value: ["id": id]) }
            }
            let follower = try await folder.open(1)
            let mine = try await ChangeLog(writer.objects(SharedParcel.self))
            let theirs = try await ChangeLog(follower.objects(SharedParcel.self))
            for id in 0..<30 {
                try await writer.write { tx in
                    try tx.create(SharedParcel.self, value: ["id": 100 + id])
                    tx.object(SharedParcel.self, forPrimaryKey: id % 10)?.state += 1
                    if id == 5, let parcel = tx.object(SharedParcel.self, forPrimaryKey: 100) {
                        try tx.delete(parcel)
                    }
                }
                #expect(await follower.reaches(writer.latestVersion))
                #expect(await mine.next() == theirs.next())
            }
            try await follower.close()
            try await writer.close()
        }
    }

    /// What another process did to a list was no change in this one, unless elements went.
    @Test("S1: a follower delivers the changes of lists, and of the objects that have them")
    func aFollowerTellsOfLists() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in
                _ = try tx.create(SharedParcel.self, value: ["id": 1, "tags": ["a", "b", "c"]])
            }
            let follower = try await folder.open(1)
            let parcel = try #require(follower.object(SharedParcel.self, forPrimaryKey: 1))
            let lists = try parcel.tags.changes().probe()
            let objects = parcel.changes().probe()
            let edits: [(expected: String, edit: @Sendable (List<String>) -> Void)] = [
                ("-[] +[3] ~[]", { $0.append("d") }),
                ("-[] +[] ~[0]", { $0[0] = "x" }),
                ("-[] +[1] ~[]", { $0.insert("y", at: 1) }),
                ("-[0] +[] ~[]", { $0.removeSubrange(0..<1) }),
            ]
            for (expected, edit) in edits {
                try await writer.write { tx in
                    let written = try #require(tx.object(SharedParcel.self, forPrimaryKey: 1))
                    edit(written.tags)
                }
                #expect(await follower.reaches(writer.latestVersion))
                #expect(try lists.nextSummary() == expected)
                #expect(try objects.nextSummary() == "tags -")
            }
            try await follower.close()
            try await writer.close()
        }
    }

    @Test func commitsArriveWithAuthorsAndValues() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 0]) }
            let follower = try await folder.open(1)
            var commits = follower.commits().makeAsyncIterator()
            for id in 1...5 {
                try await writer.write(author: "a\(id)") { tx in
                    try tx.create(SharedParcel.self, value: ["id": id])
                }
            }
            for id in 1...5 {
                let commit = try #require(try await commits.next())
                #expect(commit.author == "a\(id)")
                #expect(commit.insertions(of: SharedParcel.self).count == 1)
            }
            try await follower.close()
            try await writer.close()
        }
    }

    /// A commit that is so large that the log has no values of it.
    @Test func aFollowerTakesOverTheTreeOfALargeCommit() async throws {
        try await SharedFolder.with { folder in
            var options = LogOptions()
            options.pageCommitBytes = 4 << 10
            let writer = try await folder.open(0, options: options)
            try await writer.write { tx in
                for id in 0..<5 { try tx.create(SharedParcel.self, value: ["id": id]) }
            }
            let follower = try await folder.open(1, options: options)
            let theirs = try await ChangeLog(follower.objects(SharedParcel.self))
            let mine = try await ChangeLog(writer.objects(SharedParcel.self))
            try await writer.write { tx in
                for id in 1000..<4000 {
                    try tx.create(SharedParcel.self, value: ["id": id, "tags": ["a", "b\(id)"]])
                }
                tx.object(SharedParcel.self, forPrimaryKey: 3)?.state = 9
            }
            #expect(await follower.reaches(writer.latestVersion))
            #expect(await mine.next() == theirs.next())
            #expect(follower.states == writer.states && follower.states.count == 3005)
            try await writer.write { tx in
                tx.object(SharedParcel.self, forPrimaryKey: 2000)?.state = 1
            }
            #expect(await follower.reaches(writer.latestVersion))
            #expect(follower.states[2000] == 1)
            try await follower.close()
            try await writer.close()
        }
    }

    /// The files that an open version needs may be removed: descriptors keep them.
    @Test("S5: it leaves followers what they need")
    func compactionLeavesFollowersWhatTheyNeed() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in
                for id in 0..<5000 {
                    try tx.create(SharedParcel.self, value: ["id": id, "tags": ["tag \(id)"]])
                }
            }
            try await writer.compact()
            let follower = try await folder.open(1)
            let before = follower.snapshot()
            for round in 0..<5 {
                try await writer.write { tx in
                    for id in stride(from: round, to: 5000, by: 5) {
                        tx.object(SharedParcel.self, forPrimaryKey: id)?.state = round + 1
                    }
                }
                try await writer.compact()
            }
            #expect(await follower.reaches(writer.latestVersion))
            #expect(
                before.objects(SharedParcel.self).allSatisfy { $0.tags.count == 1 && $0.state == 0 }
            )
            #expect(follower.objects(SharedParcel.self).allSatisfy { $0.state == $0.id % 5 + 1 })
            #expect(follower.failure == nil)
            try await follower.close()
            try await writer.close()
        }
    }
}

/// The changes of a collection as text, one at a time.
actor ChangeLog {
    private var iterator: CollectionChanges<FrozenResults<SharedParcel>>.AsyncIterator

    /// Watches results from their present state on.
    init(_ results: FrozenResults<SharedParcel>) async throws {
        var iterator = results.changes().makeAsyncIterator()
        _ = try await iterator.next()
        self.iterator = iterator
    }

    func next() async -> String {
        var iterator = iterator
        defer { self.iterator = iterator }
        do {
            guard let change = try await iterator.next(isolation: self) else { return "end" }
            guard case .update(let results, let deletions, let insertions, let changed) = change
            else { return "initial" }
            return "\(results.count) -\(deletions) +\(insertions) *\(changed)"
        } catch {
            return "\(error)"
        }
    }
}
