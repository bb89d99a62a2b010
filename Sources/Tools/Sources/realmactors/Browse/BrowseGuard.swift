import HTTPTypes
import Hummingbird

/// A request, and the port that received it.
struct BrowseContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let port: Int?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        port = source.channel.localAddress?.port
    }
}

/// Refuses what does not come from the page itself. Every page that a browser has open may send
/// requests to this machine: it has no token, its `Origin` is another, and with DNS
/// rebinding its own name is in `Host`.
struct BrowseGuard: RouterMiddleware {
    typealias Context = BrowseContext

    let token: String

    private static let headers: HTTPFields = [
        .contentSecurityPolicy:
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        .xContentTypeOptions: "nosniff",
        .referrerPolicy: "no-referrer",
        .cacheControl: "no-store",
    ]

    func handle(
        _ request: Request, context: BrowseContext,
        next: @concurrent (Request, BrowseContext) async throws -> Response
    ) async throws -> Response {
        try check(request, port: context.port ?? 0)
        var response = try await next(request, context)
        for field in Self.headers where response.headers[field.name] == nil {
            response.headers[field.name] = field.value
        }
        return response
    }

    private func check(_ request: Request, port: Int) throws {
        var hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        // Browsers leave the port of the scheme out.
        if port == 80 { hosts += ["127.0.0.1", "localhost"] }
        guard let host = request.head.authority, hosts.contains(host) else {
            throw HTTPError(.misdirectedRequest, message: "This host is not served.")
        }
        if let origin = request.headers[.origin],
            !hosts.contains(where: { origin == "http://\($0)" })
        {
            throw HTTPError(.forbidden, message: "Requests from other pages are refused.")
        }
        let given = request.uri.path.split(separator: "/").first.map(String.init) ?? ""
        guard Self.equals(given, token) else {
            throw HTTPError(
                .forbidden, message: "The address lacks the token that the command printed.")
        }
    }

    /// Compares all bytes, so that the time does not say how many are right.
    private static func equals(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy").unsafelyUnwrapped
    static let lastEventID = HTTPField.Name("Last-Event-ID").unsafelyUnwrapped
}
