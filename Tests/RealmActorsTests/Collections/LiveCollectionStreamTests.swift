import Foundation
import RealmActors
import Testing

/// Streams asked of live collections.
@Suite @MainActor struct LiveCollectionStreamTests {
    @Test("N28: live lists, sets, maps and inverses have streams of changes")
    func streams() async throws {
        let live = try await holderRealm().live()
        let holder = try await live.write {
            let holder = try live.create(Holder.self, value: ["key": 1])
            holder.members.append(Member())
            return holder
        }
        var members = holder.members.changes(keyPaths: [\.name]).makeAsyncIterator()
        var ints = holder.ints.changes().makeAsyncIterator()
        var anys = holder.anys.changes().makeAsyncIterator()
        var set = holder.stringSet.changes().makeAsyncIterator()
        var map = holder.intMap.changes().makeAsyncIterator()
        var links = holder.memberMap.changes().makeAsyncIterator()
        var rosters = holder.rosters.changes().makeAsyncIterator()
        _ = try await (members.next(), ints.next(), anys.next(), set.next())
        _ = try await (map.next(), links.next(), rosters.next())
        try await live.write {
            holder.members[0].number = 3
            holder.members[0].name = "a"
            holder.ints.append(1)
            holder.anys.append(.int(1))
            holder.stringSet.insert("x")
            holder.intMap["k"] = 1
            holder.memberMap["l"] = holder.members[0]
            try live.create(Roster.self, value: ["key": 1]).members.append(holder)
        }
        guard case .update(_, [], [], [0])? = try await members.next(),
            case .update(_, [], [0], [])? = try await ints.next(),
            case .update(_, [], [0], [])? = try await anys.next(),
            case .update(_, [], [0], [])? = try await set.next(),
            case .update(_, [], ["k"], [])? = try await map.next(),
            case .update(_, [], ["l"], [])? = try await links.next(),
            case .update(_, [], [0], [])? = try await rosters.next()
        else {
            Issue.record("not the changes that were made")
            return
        }
    }
}
