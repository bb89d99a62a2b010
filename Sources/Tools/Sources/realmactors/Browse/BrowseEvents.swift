import Foundation
import HTTPTypes
import Hummingbird
import RealmActors
import ServerSentEvents
import ServiceLifecycle

/// Each commit of this process and of others, as a server-sent event: which objects it touched, and
/// how many there are by now.
struct BrowseEvents: Sendable {
    let realm: Realm
    /// How often it says that it is still there.
    let heartbeat: Duration

    private struct Event: Encodable {
        struct Change: Encodable {
            let inserted: [String]
            let modified: [String]
            let deleted: [String]
        }

        let version: UInt64
        let time: Double
        /// Seconds from when the commit was dated, by the process that made it, until it was seen
        /// here; nil for one that was made before anybody looked.
        let delay: Double?
        let author: String?
        let counts: [String: Int]
        let changes: [String: Change]
    }

    /// How many objects of a kind an event names; the page reloads what it shows in any case.
    private static let limit = 1000

    func follow(_ request: Request, _ context: BrowseContext) async throws -> Response {
        let given = request.headers[values: .lastEventID].first
        let token = await known(given) ?? realm.snapshot().changeToken
        let began = Date()
        let first = "retry: 1000\nid: \(try TokenText.text(token))\nevent: start\ndata: {}\n\n"
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: first))
                try? await request.body.consumeWithCancellationOnInboundClose { _ in
                    let commits = realm.commits(since: token).cancelOnGracefulShutdown()
                    for try await pulse in commits.withHeartbeats(every: heartbeat) {
                        switch pulse {
                        case .beat:
                            try await writer.write(ByteBuffer(string: Pulse<RealmCommit>.comment))
                        case .element(let commit):
                            try await writer.write(event(commit, since: began))
                        }
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// The token after which a page continues; nil if the log no longer has the commits after it,
    /// and the page must reload.
    private func known(_ text: String?) async -> ChangeToken? {
        guard let text, let token = try? TokenText.token(text, realm) else { return nil }
        var past = realm.pastCommits(since: token).makeAsyncIterator()
        do { _ = try await past.next() } catch { return nil }
        return token
    }

    private func event(_ commit: RealmCommit, since began: Date) throws -> ByteBuffer {
        let delay = commit.time < began ? nil : max(0, Date().timeIntervalSince(commit.time))
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
            delay: delay, author: commit.author, counts: realm.snapshot().browseCounts,
            changes: changes)
        let (id, json) = (try TokenText.text(commit.token), try JSONText.text(event))
        return ByteBuffer(string: "id: \(id)\nevent: commit\ndata: \(json)\n\n")
    }
}
