import RealmActors
import Testing

private final class Page: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text: String
}

/// What a version that is held costs.
@Suite struct VersionBytesTests {
    private static func write(_ realm: Realm, _ numbers: Range<Int>, _ letter: String) async throws
    {
        try await realm.write { tx in
            for number in numbers {
                let text = String(repeating: letter, count: 100)
                try tx.create(
                    Page.self, value: ["number": number, "text": text], update: .modified)
            }
        }
    }

    /// The bytes in memory, once the version before the newest has been given up.
    private static func settled(_ realm: Realm) async throws -> Int {
        var bytes = realm.statistics.residentBytes
        for _ in 0..<200 {
            try await Task.sleep(for: .milliseconds(2))
            let next = realm.statistics.residentBytes
            if next == bytes { break }
            bytes = next
        }
        return bytes
    }

    @Test("O9: bytesKept(for:) is what letting go of a version frees")
    func bytesKeptAreFreed() async throws {
        try await withFreshRealm([Page.self]) { configuration in
            configuration.path = nil
            configuration.inMemoryIdentifier = "bytes kept"
        } _: { realm in
            try await Self.write(realm, 0..<4_000, "a")
            var old: Snapshot? = realm.snapshot(label: "a reader")
            let version = try #require(old).version
            // The newest version shares everything with the writer.
            #expect(realm.bytesKept(for: version) == 0)
            try await Self.write(realm, 0..<1_000, "b")
            let few = realm.bytesKept(for: version)
            #expect(few > 100 * 1_000)
            try await Self.write(realm, 0..<4_000, "c")
            let all = realm.bytesKept(for: version)
            #expect(all > 3 * few)
            let before = try await Self.settled(realm)
            #expect(old?.objects(Page.self).count == 4_000)
            old = nil
            #expect(realm.bytesKept(for: version) == 0)
            #expect(try await before - Self.settled(realm) == all)
        }
    }

    @Test("O9: what two held versions share, neither keeps alone")
    func sharedBytesBelongToNobody() async throws {
        try await withFreshRealm([Page.self]) { realm in
            try await Self.write(realm, 0..<4_000, "a")
            let first = realm.snapshot()
            try await Self.write(realm, 0..<1, "b")
            let second = realm.snapshot()
            try await Self.write(realm, 0..<4_000, "c")
            let (one, two) = (
                realm.bytesKept(for: first.version), realm.bytesKept(for: second.version)
            )
            #expect(one > 0 && two > 0)
            #expect(one + two < 400_000)
            withExtendedLifetime((first, second)) {}
        }
    }
}
