import Foundation
import HTTPTypes
import Hummingbird
import RealmActors
import ServiceLifecycle

/// Each commit of this process and of others, as a server-sent event: which objects it touched, and
/// how many there are by now.
struct BrowseEvents: Sendable {
    let realm: Realm

    private struct Event: Encodable {
        struct Change: Encodable {
            let inserted: [String]
            let modified: [String]
            let deleted: [String]
        }

        let version: UInt64
        let time: Double
        let author: String?
        let counts: [String: Int]
        let changes: [String: Change]
    }

    /// How many objects of a kind an event names; the page asks anew in any case.
    private static let limit = 1000

    func follow(_ request: Request, _ context: BrowseContext) async throws -> Response {
        let given = request.headers[values: .lastEventID].first
        let token =
            try given.map { try TokenText.token($0, realm) } ?? realm.snapshot().changeToken
        let first = "retry: 1000\nid: \(try TokenText.text(token))\nevent: start\ndata: {}\n\n"
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: first))
                try? await request.body.consumeWithCancellationOnInboundClose { _ in
                    for try await commit in realm.commits(since: token).cancelOnGracefulShutdown() {
                        try await writer.write(event(commit))
                    }
                }
                try await writer.finish(nil)
            })
    }

    private func event(_ commit: RealmCommit) throws -> ByteBuffer {
        var changes: [String: Event.Change] = [:]
        for change in commit.changes {
            changes[change.className] = Event.Change(
                inserted: try change.insertions.prefix(Self.limit).map {
                    try ReferenceText.text($0.reference)
                },
                modified: try change.modifications.prefix(Self.limit).map {
                    try ReferenceText.text($0.reference)
                },
                deleted: try change.deletions.prefix(Self.limit).map {
                    try ReferenceText.text($0.reference)
                })
        }
        let event = Event(
            version: commit.version.rawValue, time: commit.time.timeIntervalSince1970,
            author: commit.author, counts: realm.snapshot().browseCounts, changes: changes)
        let (id, json) = (try TokenText.text(commit.token), try JSONText.text(event))
        return ByteBuffer(string: "id: \(id)\nevent: commit\ndata: \(json)\n\n")
    }
}

/// The newest commits that the log has, with the values that they wrote and replaced.
enum BrowseHistory {
    struct Commit: Encodable {
        let version: UInt64
        let time: Double
        let author: String?
        let changes: [Change]
    }

    struct Change: Encodable {
        let className: String
        let inserted: Int
        let modified: Int
        let deleted: Int
        let entries: CommitReport.Change
    }

    private static let commitLimit = 200
    private static let objectLimit = 20

    static func commits(_ realm: Realm) async throws -> [Commit] {
        var newest: [RealmCommit] = []
        for try await commit in realm.pastCommits() {
            newest.append(commit)
            if newest.count > 2 * commitLimit { newest.removeFirst(commitLimit) }
        }
        let snapshot = realm.snapshot()
        return newest.suffix(commitLimit).reversed().map { commit in
            Commit(
                version: commit.version.rawValue, time: commit.time.timeIntervalSince1970,
                author: commit.author,
                changes: commit.changes.map { change in
                    Change(
                        className: change.className, inserted: change.insertions.count,
                        modified: change.modifications.count, deleted: change.deletions.count,
                        entries: CommitReport.Change(change, snapshot, limit: objectLimit))
                })
        }
    }
}
