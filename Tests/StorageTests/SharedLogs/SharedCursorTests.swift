import StorageHarness
import Testing

@testable import Storage

/// The state of a host that reads a shared log, entry by entry.
@Suite struct SharedCursorTests {
    private static let realm = Bits128(low: 1, high: 2)
    private static let host = Bits128(low: 3, high: 4)

    /// Reads the next entry; returns the group that it completes.
    private static func read(
        _ kind: SharedEntry.Kind, _ payload: [UInt8], of id: Bits128, _ cursor: inout SharedCursor
    ) throws -> SharedGroup? {
        let version = cursor.version.rawValue + (kind == .genesis ? 0 : 1)
        let entry = SharedEntry(
            kind: kind, realm: realm, slot: cursor.next, epoch: 0, host: host, id: id,
            firstVersion: version, lastVersion: version, previousHash: cursor.hash,
            payload: payload)
        let found = SharedLogEntry(slot: entry.slot, bytes: entry.encoded(nil))
        return try cursor.take(found) { (_: Bits128) throws(StorageError) in nil }
    }

    @Test func aGroupHasThePiecesOfItsAppendInTheirOrder() throws {
        var cursor = SharedCursor()
        let genesis = try Self.read(.genesis, [], of: .random(), &cursor)
        let (one, other) = (Bits128.random(), Bits128.random())
        let first = try Self.read(.part, [1, 2], of: one, &cursor)
        let before = cursor
        let second = try Self.read(.part, [3], of: one, &cursor)
        #expect(genesis == nil && first == nil && second == nil && !cursor.isBetweenGroups)
        // Another host was first: the incomplete group is discarded.
        var overtaken = cursor
        _ = try Self.read(.part, [9], of: other, &overtaken)
        let others = try Self.read(.group, [8], of: other, &overtaken)
        #expect(others?.payload == [9, 8] && overtaken.isBetweenGroups)
        let whole = try Self.read(.group, [4, 5], of: one, &cursor)
        #expect(whole?.payload == [1, 2, 3, 4, 5] && cursor.isBetweenGroups)
        #expect(cursor.version == Version(1) && cursor.next == LogSlot(5))
        // A copy keeps the state of its creation.
        var earlier = before
        let short = try Self.read(.group, [7], of: one, &earlier)
        #expect(short?.payload == [1, 2, 7])
    }

    /// An entry that somebody without the key has changed was reported as a wrong key, although the
    /// key had opened the previous entries.
    @Test(.enabled(if: SecretKey.isAvailable))
    func aKeyThatHasOpenedAnEntryIsNotWrong() throws {
        let cipher = try SharedLogCipher(#require(UserKey.first), realm: Self.realm)
        let other = try SharedLogCipher(#require(UserKey.first?.other), realm: Self.realm)
        var cursor = SharedCursor()
        func read(_ kind: SharedEntry.Kind, sealedBy sealer: SharedLogCipher) throws {
            let entry = SharedEntry(
                kind: kind, realm: Self.realm, slot: cursor.next, epoch: 0, host: Self.host,
                firstVersion: 0, lastVersion: 0, previousHash: cursor.hash)
            let found = SharedLogEntry(slot: entry.slot, bytes: entry.encoded(sealer))
            _ = try cursor.take(found) { (_: Bits128) throws(StorageError) in cipher }
        }
        #expect(throws: StorageError.wrongKey(path: "The shared log")) {
            try read(.genesis, sealedBy: other)
        }
        try read(.genesis, sealedBy: cipher)
        #expect {
            try read(.part, sealedBy: other)
        } throws: { error in
            if case StorageError.sharedLogDiverged = error { true } else { false }
        }
        try read(.part, sealedBy: cipher)
        #expect(cursor.next == LogSlot(3))
    }

    /// A forged image, or a crafted folder, that names the last slot of all had no next one: the
    /// process ended.
    @Test func aCursorEndsBeforeTheLastSlot() {
        for (slot, isPossible) in [(LogSlot.last, true), (LogSlot(.max), false)] {
            let cursor = SharedCursor(
                realm: Self.realm, next: slot, hash: .none, epoch: 0,
                lastWriter: Self.host, version: Version(1), bytes: 0)
            var bytes = [UInt8](repeating: 0, count: SharedRealmFile.size)
            // Unsafe: lent for the calls, and long enough.
            bytes.withUnsafeMutableBytes {
                SharedRealmFile(host: Self.host, cursor: cursor).encode(into: $0)
            }
            // Unsafe: lent for the call, which copies what it decodes.
            let decoded = bytes.withUnsafeBytes { SharedRealmFile(decoding: $0) }
            #expect((decoded?.cursor.next == slot) == isPossible)
        }
    }
}
