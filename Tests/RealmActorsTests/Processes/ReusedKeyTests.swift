import RealmActors
import Storage
import Synchronization
import Testing

/// References and frozen objects from a write that was rolled back, after another process has given
/// their key to a row of its own: they resolved to that row.
@Suite struct ReusedKeyTests {
    private struct Refusal: Error {}

    /// What is left of a write that was rolled back.
    private struct Leftover: Sendable {
        let reference: ObjectReference<SharedParcel>
        let frozen: Frozen<SharedParcel>
    }

    /// Creates a parcel in a write that is rolled back.
    private func rollBack(_ id: Int, in realm: Realm) async throws -> Leftover {
        let found = Mutex<Leftover?>(nil)
        await #expect(throws: Refusal.self) {
            try await realm.write { tx in
                let parcel = try tx.create(SharedParcel.self, value: ["id": id, "tags": ["a"]])
                let leftover = Leftover(reference: parcel.reference, frozen: parcel.freeze())
                found.withLock { $0 = leftover }
                throw Refusal()
            }
        }
        return try #require(found.withLock { $0 })
    }

    /// Adds parcel 1, rolls parcel 2 back, and adds parcel 3 in another process.
    private func reuse(
        _ folder: SharedFolder,
        _ body: (Realm, Leftover, Frozen<SharedParcel>) async throws -> Void
    ) async throws {
        let (own, other) = (try await folder.open(0), try await folder.open(1))
        try await own.write { tx in _ = try tx.create(SharedParcel.self, value: ["id": 1]) }
        let lost = try await rollBack(2, in: own)
        try await other.write { tx in _ = try tx.create(SharedParcel.self, value: ["id": 3]) }
        #expect(await own.reaches(other.latestVersion))
        let later = try #require(own.object(SharedParcel.self, forPrimaryKey: 3))
        // Otherwise nothing can be mistaken.
        #expect(later.reference == lost.reference)
        try await body(own, lost, later)
        for realm in [own, other] { try await realm.close() }
    }

    @Test("D1: a reference from a rolled back write does not resolve to a row of another process")
    func references() async throws {
        try await SharedFolder.with { folder in
            try await reuse(folder) { own, lost, later in
                let kept = try #require(own.object(SharedParcel.self, forPrimaryKey: 1))
                #expect(own.resolve(lost.reference) == nil && own.resolve(lost.frozen) == nil)
                #expect(own.resolve(later.reference)?.id == 3 && own.resolve(later)?.id == 3)
                #expect(own.resolve(kept.reference)?.id == 1)
                // What the write showed has its row, and not the later one.
                let shown = lost.frozen.snapshot
                #expect(shown.resolve(lost.reference)?.id == 2)
                #expect(shown.resolve(later.reference) == nil)
                #expect(shown.resolve(kept.reference)?.id == 1)
                #expect(try await own.versions(of: lost.reference).isEmpty)
            }
        }
    }

    @Test("D1: nor does one inside a write, which does not delete that row")
    func writes() async throws {
        try await SharedFolder.with { folder in
            try await reuse(folder) { own, lost, later in
                try await own.write { tx in
                    #expect(tx.resolve(lost.reference) == nil && tx.resolve(lost.frozen) == nil)
                    #expect(tx.resolve(later.reference)?.id == 3)
                    try tx.delete(lost.frozen)
                    #expect(tx.objects(SharedParcel.self).count == 2)
                    let added = try tx.create(SharedParcel.self, value: ["id": 4])
                    #expect(tx.resolve(added.reference)?.id == 4)
                }
                #expect(own.states == [1: 0, 3: 0, 4: 0])
            }
        }
    }

    @Test("D1: frozen objects and collections of a rolled back write thaw as nothing")
    @MainActor func thawing() async throws {
        try await SharedFolder.with { folder in
            try await reuse(folder) { own, lost, later in
                let live = try await own.live()
                #expect(live.resolve(lost.reference) == nil)
                #expect(lost.frozen.thaw(in: live) == nil)
                let tags: List<String>? = lost.frozen.tags.thaw(in: live)
                #expect(tags == nil)
                #expect(later.thaw(in: live)?.id == 3)
                let laterTags: List<String>? = later.tags.thaw(in: live)
                #expect(laterTags?.isEmpty == true)
            }
        }
    }

    /// Until its commit is durable, the realm shows a version from before the key could be reused.
    @Test("D1: a reference that is made while its commit is in progress resolves afterwards")
    @MainActor func pendingCommits() async throws {
        try await SharedFolder.with { folder in
            let (own, other) = (try await folder.open(0), try await folder.open(1))
            try await own.write { tx in _ = try tx.create(SharedParcel.self, value: ["id": 1]) }
            _ = try await rollBack(2, in: own)
            // The writer lease moves without a commit.
            _ = try await rollBack(2, in: other)
            let live = try await own.live()
            try await live.beginWrite()
            let parcel = try live.create(SharedParcel.self, value: ["id": 3])
            let commit = Task { @MainActor in try await live.commitWrite() }
            while live.isInWriteTransaction { await Task.yield() }
            let reference = parcel.reference
            try await commit.value
            #expect(own.resolve(reference)?.id == 3)
            #expect(live.resolve(reference)?.id == 3)
            for realm in [own, other] { try await realm.close() }
        }
    }

    /// The log does not contain such a row, so its key is used again as well.
    @Test("D1: a reference to an object that its own write has deleted does not resolve either")
    func deletedObjects() async throws {
        try await SharedFolder.with { folder in
            let (own, other) = (try await folder.open(0), try await folder.open(1))
            let found = Mutex<Leftover?>(nil)
            try await own.write { tx in
                _ = try tx.create(SharedParcel.self, value: ["id": 1])
                let parcel = try tx.create(SharedParcel.self, value: ["id": 2])
                let leftover = Leftover(reference: parcel.reference, frozen: parcel.freeze())
                found.withLock { $0 = leftover }
                try tx.delete(parcel)
            }
            let lost = try #require(found.withLock { $0 })
            try await other.write { tx in _ = try tx.create(SharedParcel.self, value: ["id": 3]) }
            #expect(await own.reaches(other.latestVersion))
            let later = try #require(own.object(SharedParcel.self, forPrimaryKey: 3))
            #expect(later.reference == lost.reference)
            #expect(own.resolve(lost.reference) == nil && own.resolve(lost.frozen) == nil)
            #expect(own.resolve(later.reference)?.id == 3 && own.resolve(later)?.id == 3)
            for realm in [own, other] { try await realm.close() }
        }
    }

    /// A process that gets the writer lease back, without a row of another one in between, uses the
    /// key itself.
    @Test func anOwnRowThatGetsTheKeyIsFound() async throws {
        try await SharedFolder.with { folder in
            let (own, other) = (try await folder.open(0), try await folder.open(1))
            try await own.write { tx in _ = try tx.create(SharedParcel.self, value: ["id": 1]) }
            let lost = try await rollBack(2, in: own)
            try await other.write { tx in tx.objects(SharedParcel.self).first?.state = 7 }
            #expect(await own.reaches(other.latestVersion))
            let made = try await own.write { tx in
                try tx.create(SharedParcel.self, value: ["id": 3]).reference
            }
            #expect(own.resolve(made)?.id == 3)
            #expect(own.resolve(lost.reference) == nil)
            for realm in [own, other] { try await realm.close() }
        }
    }
}
