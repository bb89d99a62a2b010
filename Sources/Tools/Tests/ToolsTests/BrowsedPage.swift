import Foundation
import HTTPClient
import Testing

/// A page that is served, and where.
struct BrowsedPage {
    let address: String
    let port: Int
    let token: String

    /// Runs `body` with `browse` on a store.
    static func with(
        _ path: String, _ arguments: [String] = [], body: (BrowsedPage) async throws -> Void
    ) async throws {
        let tool = try Tool(["browse", path] + arguments)
        defer { tool.end() }
        try tool.start()
        let address = try await tool.firstLine()
        let match = try #require(address.firstMatch(of: /http:\/\/127.0.0.1:(\d+)\/(\w+)\//))
        let port = try #require(Int(match.1))
        try await body(BrowsedPage(address: address, port: port, token: String(match.2)))
        tool.end()
        let run = try await tool.finish()
        #expect(run.status == 0, "\(run.errors)")
    }

    /// What is answered to a request that knows the token.
    func request(
        _ path: String, method: String = "GET", headers: [(String, String)] = [],
        body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPConnection.request(
            method, "/\(token)/\(path)", port: port, headers: headers, body: body)
    }

    /// The JSON of a request that succeeds.
    func objects(_ path: String) async throws -> [String: Any] {
        let answer = try await request(path)
        try #require(answer.status == 200, "\(answer.body)")
        return try #require(try Self.json(answer.body) as? [String: Any])
    }

    /// The reference of the first object that a query finds.
    func reference(_ className: String, _ query: String) async throws -> String {
        let text = try #require(
            query.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let page = try await objects("rows?class=\(className)&query=\(text)")
        return try #require((page["rows"] as? [[String: Any]])?.first?["ref"] as? String)
    }

    static func json(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
}
