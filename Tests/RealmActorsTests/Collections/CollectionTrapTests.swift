import Foundation
import RealmActors
import Testing

/// Misuse traps with a message that names the mistake.
@Suite struct CollectionTrapTests {
    /// In memory: a process that ends so removes no files.
    private static func realm() async throws -> Realm {
        try await Realm.open(.init(inMemoryIdentifier: "trap", objectTypes: holderTypes))
    }

    @Test("Q16: a position outside of a list traps with Realm's message")
    func positions() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let list: List<Int> = [1, 2, 3]
            _ = list[5]
        }
        try expect(
            result,
            "Index 5 is out of bounds (must be less than 3). The List<Int> has 3 elements.")
    }

    @Test("Q16: a position outside of a frozen collection traps with the same message")
    func frozenPositions() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let frozen = try await Self.realm().write { tx in
                try tx.create(Holder.self, value: ["key": 1, "ints": [1]]).freeze()
            }
            _ = frozen.ints[-1]
        }
        try expect(
            result,
            "Index -1 is out of bounds (must be less than 1). The FrozenList<Int> has 1 element.")
    }

    @Test("Q16: a position outside of results traps with their class and count")
    func resultPositions() async throws {
        let all = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try await Self.realm().objects(Holder.self)[3]
        }
        try expect(
            all,
            "Index 3 is out of bounds (must be less than 0). "
                + "The collection of 'Holder' objects has 0 elements.")
        let some = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try await Self.realm().objects(Holder.self).where { $0.key > 3 }[1]
        }
        try expect(some, "Index 1 is out of bounds (must be less than 0).")
    }

    @Test("Q17: removing more than there is traps with Realm's message")
    func removals() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let list: List<Int> = [1]
            list.removeLast(2)
        }
        try expect(
            result,
            "It is not possible to remove more objects (2) from a list than it already contains "
                + "(1).")
    }

    @Test("P8: a managed list, set or map cannot change outside of a write")
    func outsideWrites() async throws {
        let lists = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let live = try await Self.realm().live()
            let holder = try await live.write {
                try live.create(Holder.self, value: ["key": 1])
            }
            holder.ints.append(1)
        }
        try expect(lists, "outside a write")
        let maps = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let live = try await Self.realm().live()
            let holder = try await live.write {
                try live.create(Holder.self, value: ["key": 1])
            }
            holder.intMap["a"] = 1
        }
        try expect(maps, "outside a write")
    }

    @Test("F3: a list of a frozen object cannot change")
    func frozenOwners() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let frozen = try await Self.realm().write { tx in
                try tx.create(Holder.self, value: ["key": 1, "ints": [1]]).freeze()
            }
            frozen.withObject { $0.ints.append(1) }
        }
        try expect(result, "Cannot set a property of a frozen 'Holder'")
    }

    private func expect(_ result: ExitTest.Result?, _ message: String) throws {
        let output = try #require(result).standardErrorContent
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains(message), "\(text.prefix(400))")
    }
}
