import Foundation
import HTTPTypes
import Hummingbird
import RealmActors
import ServerSentEvents
import ServiceLifecycle

/// `GET /orders/changes`: what each commit changed, as server-sent events. The identifier of an
/// event is the change token behind its commit, so that a client which comes again with
/// `Last-Event-ID`, as browsers do by themselves, misses nothing and gets nothing twice: also after
/// a restart of the service.
struct OrderChanges: Sendable {
    let database: RealmService
    /// How often it says that it is still there.
    var heartbeat = Duration.seconds(15)

    /// A commit as its event has it.
    private struct Event: Encodable {
        struct Modified: Encodable {
            let id: UUID
            let values: [String: FrozenValue]
        }

        let version: UInt64
        let author: String?
        let inserted: [[String: FrozenValue]]
        let modified: [Modified]
        let deleted: [FrozenValue]

        init(_ commit: RealmCommit, _ snapshot: Snapshot) {
            version = commit.version.rawValue
            author = commit.author
            inserted = commit.insertions(of: Order.self).map {
                $0.values.compactMapValues(\.frozen)
            }
            modified = commit.modifications(of: Order.self).compactMap { change in
                // An order that was deleted since is reported as deleted by a later event.
                guard let order = snapshot.resolve(change.reference) else { return nil }
                return Modified(id: order.id, values: change.newValues.compactMapValues(\.frozen))
            }
            deleted = commit.deletions(of: Order.self).compactMap { $0.oldValues["id"]?.frozen }
        }
    }

    func follow(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let realm = try await database.realm
        let given =
            request.headers[values: .lastEventID].first
            ?? request.uri.queryParameters["since"].map(String.init)
        let token = try given.map(ChangeTokenText.token) ?? realm.snapshot().changeToken
        // A token that is refused is an answer with its status; a stream has none.
        var past = realm.pastCommits(since: token).makeAsyncIterator()
        _ = try await past.next()
        let first = ": following\nretry: 1000\nid: \(try ChangeTokenText.text(token))\n\n"
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: first))
                // A stream never ends by itself: its client ends it by leaving, and the service by
                // shutting down.
                try? await request.body.consumeWithCancellationOnInboundClose { _ in
                    let commits = realm.commits(since: token).cancelOnGracefulShutdown()
                    for try await pulse in commits.withHeartbeats(every: heartbeat) {
                        switch pulse {
                        case .beat:
                            try await writer.write(ByteBuffer(string: Pulse<RealmCommit>.comment))
                        case .element(let commit) where commit.classNames.contains("Order"):
                            try await writer.write(Self.event(commit, realm))
                        case .element: break
                        }
                    }
                }
                try await writer.finish(nil)
            })
    }

    private static func event(_ commit: RealmCommit, _ realm: Realm) throws -> ByteBuffer {
        let json = try OrderJSON.encoder.encode(Event(commit, realm.snapshot()))
        let id = try ChangeTokenText.text(commit.token)
        return ByteBuffer(
            string: "id: \(id)\nevent: commit\ndata: \(String(decoding: json, as: UTF8.self))\n\n")
    }
}

/// Change tokens as clients keep them: text without meaning.
enum ChangeTokenText {
    static func text(_ token: ChangeToken) throws -> String {
        // The same text for the same token.
        try OrderJSON.encoder.encode(token).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func token(_ text: String) throws -> ChangeToken {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding),
            let token = try? JSONDecoder().decode(ChangeToken.self, from: data)
        else { throw HTTPError(.badRequest, message: "'\(text)' is not a change token.") }
        return token
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID").unsafelyUnwrapped
}
