import Testing

@testable import RealmActors

/// What leads to an object is another value once that is deleted.
@Suite @MainActor struct DeletedTargetTests {
    @Test("K1: collections notify when an object in them is deleted, here and elsewhere")
    func collections() async throws {
        let realm = try await holderRealm()
        let live = try await realm.live()
        let holder = try await live.write {
            let holder = try live.create(Holder.self, value: ["key": 1])
            holder.members.append(objectsIn: [Member(), Member()])
            holder.memberMap["a"] = holder.members[0]
            holder.memberMap["b"] = holder.members[1]
            return holder
        }
        for key in ["a", "b"] {
            let member = holder.members[0]
            let list = ReadObserver { _ = holder.members.count }
            let map = ReadObserver { _ = holder.memberMap[key] }
            let invalidated = ReadObserver { _ = member.isInvalidated }
            let other = ReadObserver { _ = holder.ints.count }
            if key == "a" {
                try await live.write { try live.delete(member) }
            } else {
                try await realm.write { tx in try tx.deleteAll(Member.self) }
                live.refresh()
            }
            #expect(list.count == 1 && map.count == 1 && invalidated.count == 1, "\(key)")
            #expect(other.count == 0 && member.isInvalidated, "\(key)")
            #expect(holder.memberMap[key] == .some(nil))
        }
    }
}
