import Foundation
import Observation
import RealmActors
import Storage
import Synchronization
import Testing

/// Live realms on the main actor: how they move and how they write.
@Suite @MainActor struct LiveRealmTests {
    private func withRealm(_ body: @MainActor (Realm) async throws -> Void) async throws {
        try await withFreshRealm([LiveCat.self]) {
            $0.writeTimeout = nil
        } _: { realm in
            try await realm.write { tx in
                for number in 0..<3 { try tx.create(LiveCat.self, value: ["number": number]) }
            }
            try await body(realm)
        }
    }

    private func rename(_ realm: Realm, _ name: String) async throws {
        try await realm.write { tx in tx.object(LiveCat.self, forPrimaryKey: 0)?.name = name }
    }

    /// Waits for what another task brings about; each turn lets the main actor do other work.
    private func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<20_000 {
            if condition() { return true }
            await Task.yield()
        }
        return condition()
    }

    @Test("Z5: autorefresh is on by default, and the realm follows what others write")
    func autorefresh() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            #expect(live.autorefresh)
            let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 0))
            let cats = live.objects(LiveCat.self).where { $0.name == "Tom" }
            #expect(cats.isEmpty)
            try await self.rename(realm, "Tom")
            #expect(await self.eventually { cat.name == "Tom" })
            #expect(cats.count == 1 && !live.isBehind)
        }
    }

    @Test(
        "Z5, R2: without autorefresh only refresh moves it; isBehind says there is a newer version")
    func manualRefresh() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.autorefresh = false
            let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 0))
            try await self.rename(realm, "Tom")
            for _ in 0..<100 { await Task.yield() }
            #expect(cat.name == "" && live.isBehind)
            #expect(live.refresh() && cat.name == "Tom" && !live.isBehind)
            try await self.rename(realm, "Kit")
            live.autorefresh = true
            #expect(cat.name == "Kit")
        }
    }

    @Test("Z6: refresh is true when it moved, false at the newest version and inside a write")
    func refresh() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.autorefresh = false
            #expect(!live.refresh())
            try await self.rename(realm, "Tom")
            #expect(live.refresh())
            #expect(!live.refresh())
            try await live.write { #expect(!live.refresh()) }
        }
    }

    @Test("Z7: invalidate lets go of the version; the realm stays usable; again is no-op")
    func invalidate() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 0))
            let held = realm.activeVersions.reduce(0) { $0 + $1.holders }
            live.invalidate()
            live.invalidate()
            #expect(realm.activeVersions.reduce(0) { $0 + $1.holders } < held)
            #expect(cat.isInvalidated)
            try await self.rename(realm, "Tom")
            for _ in 0..<100 { await Task.yield() }
            #expect(
                realm.activeVersions.allSatisfy { $0.holders == 0 },
                "an invalidated realm does not come back by itself")
            #expect(live.object(LiveCat.self, forPrimaryKey: 0)?.name == "Tom")
            #expect(cat.isInvalidated && !live.refresh())
        }
    }

    @Test("R1: changes() delivers every version that the realm advances to, own commits included")
    func versions() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.autorefresh = false
            var versions = live.changes().makeAsyncIterator()
            try await live.write { live.object(LiveCat.self, forPrimaryKey: 0)?.age = 1 }
            #expect(await versions.next() == realm.latestVersion)
            try await self.rename(realm, "Tom")
            live.refresh()
            #expect(await versions.next() == realm.latestVersion)
            try await live.write {}
            #expect(await versions.next() == realm.latestVersion, "an empty write is a commit too")
        }
    }

    @Test("R1: the versions end with the realm")
    func versionsEnd() async throws {
        try await withRealm { realm in
            var live: LiveRealm? = try await realm.live()
            let changes = try #require(live).changes()
            live = nil
            var versions = changes.makeAsyncIterator()
            #expect(await versions.next() == nil)
        }
    }

    @Test("T1: a write advances to the newest version and notifies observers before its body")
    func writeAdvances() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.autorefresh = false
            let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 0))
            let isNotified = Mutex(false)
            withObservationTracking {
                _ = cat.name
            } onChange: {
                isNotified.withLock { $0 = true }
            }
            try await self.rename(realm, "Tom")
            #expect(cat.name == "" && !isNotified.withLock { $0 })
            try await live.write {
                #expect(isNotified.withLock { $0 } && cat.name == "Tom")
            }
        }
    }

    @Test("T1: nested begins are refused")
    func nestedBegins() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            try await live.beginWrite()
            await #expect(throws: RealmError.self) { try await live.beginWrite() }
            await #expect(throws: RealmError.self) { try await live.write {} }
            #expect(live.isInWriteTransaction)
            try await live.commitWrite()
            #expect(!live.isInWriteTransaction)
        }
    }

    @Test("T2: a commit outside a write throws; it is durable when it returns")
    func commits() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            await #expect(throws: RealmError.self) { try await live.commitWrite() }
            try await live.beginWrite()
            live.object(LiveCat.self, forPrimaryKey: 1)?.name = "Kit"
            await Task.yield()
            #expect(realm.object(LiveCat.self, forPrimaryKey: 1)?.name == "")
            try await live.commitWrite()
            #expect(realm.object(LiveCat.self, forPrimaryKey: 1)?.name == "Kit")
        }
    }

    @Test("T3: cancelWrite reverts everything; accessors show the old values again")
    func cancels() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 0))
            try await live.beginWrite()
            cat.name = "Tom"
            let added = try live.create(LiveCat.self, value: ["number": 9])
            cat.kittens.append(added)
            live.cancelWrite()
            #expect(cat.name == "" && cat.kittens.isEmpty && added.isInvalidated)
            #expect(realm.objects(LiveCat.self).count == 3)
            live.cancelWrite()
        }
    }

    @Test("T5: a throw cancels and comes out; a block may cancel by itself")
    func throwingWrites() async throws {
        struct Refusal: Error {}
        try await withRealm { realm in
            let live = try await realm.live()
            await #expect(throws: Refusal.self) {
                try await live.write {
                    try live.create(LiveCat.self, value: ["number": 9])
                    throw Refusal()
                }
            }
            try await live.write {
                try live.create(LiveCat.self, value: ["number": 10])
                live.cancelWrite()
            }
            #expect(realm.objects(LiveCat.self).count == 3)
            #expect(try await live.write { 7 } == 7)
        }
    }

    @Test("T7: invalidate() inside a write rolls it back")
    func invalidateInAWrite() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            try await live.beginWrite()
            try live.create(LiveCat.self, value: ["number": 9])
            live.invalidate()
            #expect(!live.isInWriteTransaction && realm.objects(LiveCat.self).count == 3)
            // Whoever comes next has the turn.
            try await self.rename(realm, "Tom")
        }
    }

    @Test("T10: waits for a version, works without autorefresh, for many waiters")
    func refreshed() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.autorefresh = false
            #expect(await live.refreshed() == false, "it is there already")
            try await self.rename(realm, "Tom")
            #expect(await live.refreshed())
            let next = Realm.Version(rawValue: realm.latestVersion.rawValue + 1)
            let waiters = (0..<5).map { _ in
                Task { @MainActor in await live.refreshed(toAtLeast: next) }
            }
            await Task.yield()
            try await self.rename(realm, "Kit")
            // The first one moves the realm for all.
            for waiter in waiters { #expect(await waiter.value) }
            #expect(live.object(LiveCat.self, forPrimaryKey: 0)?.name == "Kit")
        }
    }

    @Test("T10: false when it is cancelled")
    func refreshedIsCancelled() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            let far = Realm.Version(rawValue: realm.latestVersion.rawValue + 100)
            let waiter = Task { @MainActor in await live.refreshed(toAtLeast: far) }
            await Task.yield()
            waiter.cancel()
            #expect(await waiter.value == false)
        }
    }

    @Test("T10: an invalidated realm shows a version again, and waits as well")
    func refreshedAfterInvalidate() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.invalidate()
            #expect(await live.refreshed())
            #expect(await live.refreshed() == false, "it is there already")
            live.invalidate()
            let next = Realm.Version(rawValue: realm.latestVersion.rawValue + 1)
            let waiter = Task { @MainActor in
                let hasMoved = await live.refreshed(toAtLeast: next)
                return (hasMoved, live.freeze().version)
            }
            await Task.yield()
            try await self.rename(realm, "Tom")
            let (hasMoved, version) = await waiter.value
            #expect(hasMoved && version == next)
        }
    }

    @Test("T8: writes of live realms and of the realm take turns")
    func turns() async throws {
        try await withRealm { realm in
            let (first, second) = (try await realm.live(), try await realm.live())
            try await first.beginWrite()
            let order = Mutex<[Int]>([])
            let tasks = [
                Task { @MainActor in
                    try await second.write { order.withLock { $0.append(1) } }
                },
                Task { @MainActor in
                    try await realm.write { _ in order.withLock { $0.append(2) } }
                },
                Task { @MainActor in
                    try await first.realm.write { _ in order.withLock { $0.append(3) } }
                },
            ]
            for _ in 0..<50 { await Task.yield() }
            #expect(order.withLock { $0.isEmpty })
            try await first.commitWrite()
            for task in tasks { try await task.value }
            #expect(order.withLock { $0 }.sorted() == [1, 2, 3])
        }
    }

    @Test("F6: what is frozen takes no part in writes, and outlives invalidate")
    func frozenRealms() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            let snapshot = live.freeze()
            let cat = try #require(snapshot.objects(LiveCat.self).first)
            live.invalidate()
            #expect(cat.number == 0 && snapshot.objects(LiveCat.self).count == 3)
            #expect(live.refresh())
            #expect(cat.thaw(in: live)?.number == 0)
            let kept = live.freeze()
            #expect(kept.version == live.freeze().version)
            try await live.write { live.object(LiveCat.self, forPrimaryKey: 0)?.name = "Tom" }
            #expect(cat.name == "" && kept.objects(LiveCat.self).first?.name == "")
        }
    }

    @Test("F8: an object made elsewhere thaws once the realm is there")
    func thawsWhatWasMadeElsewhere() async throws {
        try await withRealm { realm in
            let live = try await realm.live()
            live.autorefresh = false
            let made = try await realm.write { tx in
                try tx.create(LiveCat.self, value: ["number": 7]).freeze()
            }
            #expect(live.object(LiveCat.self, forPrimaryKey: 7) == nil)
            #expect(made.thaw(in: live)?.number == 7)
        }
    }
}
