import Foundation
import RealmActors
import Storage
import Testing

final class HistoryDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = ""
    @Persisted var age: Int?
    @Persisted var friend: HistoryDog?
    @Persisted var tags: List<String>
    @Persisted var scores: Map<String, Int>
}

final class HistoryCat: Object {
    @Persisted var name: String = ""
}

let historyTypes: [ObjectBase.Type] = [HistoryDog.self, HistoryCat.self]

/// Configures a log of small segments. A restart retains only the last few.
func shortenLog(_ configuration: inout Realm.Configuration) {
    configuration.logOptions.segmentSizeMin = 4096
    configuration.logOptions.segmentSizeGrown = 4096
}

extension Realm {
    @discardableResult
    func addDog(_ id: Int, _ name: String = "", age: Int? = nil) async throws -> Frozen<
        HistoryDog
    > {
        try await write { tx in
            var value: [String: Any] = ["id": id, "name": name]
            if let age { value["age"] = age }
            return try tx.create(HistoryDog.self, value: value).freeze()
        }
    }

    func editDog(
        _ id: Int, author: String? = nil, _ body: sending @escaping (HistoryDog) -> Void
    ) async throws {
        try await write(author: author) { tx in
            body(try #require(tx.object(HistoryDog.self, forPrimaryKey: id)))
        }
    }
}

/// The next `count` commits of a stream.
func take(
    _ count: Int, _ commits: inout RealmChanges.AsyncIterator
) async throws -> [RealmCommit] {
    var taken: [RealmCommit] = []
    while taken.count < count, let commit = try await commits.next() { taken.append(commit) }
    return taken
}
