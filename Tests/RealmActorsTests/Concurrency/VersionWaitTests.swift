import Testing

@testable import RealmActors

/// Writes that wait until few enough versions are held.
@Suite struct VersionWaitTests {
    /// Each read of the newest version woke every write that waited, which took the turn and waited
    /// again: with many of both, a service did little else.
    @Test("D9: reading the newest version wakes no write that waits for another one")
    func readsOfTheNewestVersion() async throws {
        try await withFreshRealm([Mark.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 1
            configuration.activeVersionPolicy = .wait(upTo: .seconds(3600))
        } _: { realm in
            let versions = realm.store.versions
            var held: [Snapshot] = [realm.snapshot(label: "report")]
            try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
            }
            let waiting = Task {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": 2])
                }
            }
            while versions.waitCount == 0 { await Task.yield() }
            for _ in 0..<100 {
                #expect(realm.snapshot().objects(Mark.self).count == 1)
                await Task.yield()
            }
            held.removeAll()
            try await waiting.value
            #expect(versions.waitCount == 1)
            #expect(realm.objects(Mark.self).count == 2)
        }
    }

    /// It waited for as long as the policy lets it, for a version that no write needed any more.
    @Test("D9: a write that waits for a version to be released ends when the realm is closed")
    func closing() async throws {
        try await withFreshRealm([Mark.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 1
            configuration.activeVersionPolicy = .wait(upTo: .seconds(3600))
        } _: { realm in
            let held = realm.snapshot()
            try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
            }
            let waiting = Task {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": 2])
                }
            }
            let versions = realm.store.versions
            while versions.waitCount == 0 { await Task.yield() }
            try await realm.close()
            let hasEnded = await comesToAnEnd { _ = await waiting.result }
            #expect(hasEnded)
            // Else it would be waited for here.
            waiting.cancel()
            await #expect(throws: RealmError.closed) { try await waiting.value }
            #expect(held.objects(Mark.self).count == 0)
        }
    }

    /// It had all of them: a hundred kilobytes where ten thousand requests held a version.
    @Test("D9: the error of a refused write names a few of many holders")
    func manyHolders() async throws {
        try await withFreshRealm([Mark.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 1
        } _: { realm in
            var held = (0..<5_000).map { realm.snapshot(label: "request \($0)") }
            try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
            }
            do {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": 2])
                }
                Issue.record("the write was admitted")
            } catch RealmError.tooManyActiveVersions(_, _, let holders) {
                let oldest = try #require(holders.first)
                #expect(oldest.contains("held 5000 times"))
                #expect(oldest.contains("request 0, request 1, request 2 and 4997 more"))
                #expect(oldest.utf8.count < 200)
            }
            #expect(realm.activeVersions[0].labels.count == 5_000)
            held.removeAll()
        }
    }
}
