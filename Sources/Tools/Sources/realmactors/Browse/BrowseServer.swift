import Foundation
import HTTPTypes
import Hummingbird
import RealmActors

/// Serves the page that shows a store, and its requests. `BrowsePage` has its HTML, CSS and
/// JavaScript, which are part of the executable.
struct BrowseServer: Sendable {
    let realm: Realm
    let store: String
    let token: String
    let isWritable: Bool
    /// How often a stream of events says that it is still there.
    let heartbeat: Duration

    func router() -> Router<BrowseContext> {
        let router = Router(context: BrowseContext.self)
        router.add(middleware: BrowseGuard(token: token))
        let page = router.group("\(token)")
        page.get { _, _ in Self.file(PackageResources.index_html, "text/html") }
        page.get("page.css") { _, _ in Self.file(PackageResources.page_css, "text/css") }
        page.get("page.js") { _, _ in Self.file(PackageResources.page_js, "text/javascript") }
        page.get("views.js") { _, _ in Self.file(PackageResources.views_js, "text/javascript") }
        page.get("schema.svg") { _, _ in schemaDiagram() }
        page.get("classes") { _, _ in try answer { try BrowseClasses(self) } }
        page.get("rows") { request, _ in
            let query = BrowseQuery(request)
            return try answer { try BrowseRows(query, realm.snapshot()) }
        }
        page.get("object") { request, _ in
            let text = request.uri.queryParameters["ref"].map(String.init) ?? ""
            return try answer {
                try BrowseObject(text, realm.snapshot(), isWritable: isWritable)
            }
        }
        page.get("history") { request, _ in
            try await answer { try await BrowseHistory(request, realm) }
        }
        page.get("holders") { _, _ in try answer { BrowseHolders(self) } }
        page.get("events", use: BrowseEvents(realm: realm, heartbeat: heartbeat).follow)
        if isWritable {
            page.post("set") { request, _ in
                let change = try await BrowseChange(request)
                return try await answer { try await change.set(in: realm) }
            }
            page.post("delete") { request, _ in
                let change = try await BrowseChange(request)
                return try await answer { try await change.delete(in: realm) }
            }
        }
        return router
    }

    private func schemaDiagram() -> Response {
        var response = Self.file(
            Array(SVGDiagram(realm.snapshot().storedSchema.schema.objectSchema).text.utf8),
            "image/svg+xml")
        response.headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
        return response
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A value in JSON; an error is answered with its text.
    private func answer(_ value: () async throws -> some Encodable) async throws -> Response {
        do {
            return try Self.json(try await value())
        } catch let error as RealmError {
            return try Self.mistake(error.description, ExitStatus(error))
        } catch let error as ToolError {
            return try Self.mistake(error.description, error.status)
        }
    }

    private func answer(_ value: () throws -> some Encodable) throws -> Response {
        do {
            return try Self.json(try value())
        } catch let error as RealmError {
            return try Self.mistake(error.description, ExitStatus(error))
        } catch let error as ToolError {
            return try Self.mistake(error.description, error.status)
        }
    }

    private static func mistake(_ text: String, _ status: ExitStatus) throws -> Response {
        let codes: [ExitStatus: HTTPResponse.Status] = [
            .badInput: .badRequest, .notFound: .notFound,
        ]
        return try json(["mistake": text], codes[status] ?? .internalServerError)
    }

    private static func json(
        _ value: some Encodable, _ status: HTTPResponse.Status = .ok
    ) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: try JSONText.encoder().encode(value))))
    }
}
