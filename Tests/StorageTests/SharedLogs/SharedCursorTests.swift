import Testing

@testable import Storage

/// What a host has read of a shared log, entry by entry.
@Suite struct SharedCursorTests {
    private static let realm = Bits128(low: 1, high: 2)
    private static let host = Bits128(low: 3, high: 4)

    /// Reads an entry that comes next; returns the group that it completes.
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
        // Another host was first: what was begun is left.
        var overtaken = cursor
        _ = try Self.read(.part, [9], of: other, &overtaken)
        let others = try Self.read(.group, [8], of: other, &overtaken)
        #expect(others?.payload == [9, 8] && overtaken.isBetweenGroups)
        let whole = try Self.read(.group, [4, 5], of: one, &cursor)
        #expect(whole?.payload == [1, 2, 3, 4, 5] && cursor.isBetweenGroups)
        #expect(cursor.version == Version(1) && cursor.next == LogSlot(5))
        // A copy has what was there when it was made.
        var earlier = before
        let short = try Self.read(.group, [7], of: one, &earlier)
        #expect(short?.payload == [1, 2, 7])
    }
}
