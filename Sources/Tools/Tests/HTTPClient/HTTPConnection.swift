import NIOCore
import NIOHTTP1
import NIOPosix

/// An answer with its whole body.
package struct HTTPAnswer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: String

    /// The first header with a name, in whatever case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The other side has closed the connection, or answers no HTTP.
package struct HTTPClosed: Error {}

/// A connection to a server on this machine: one request after another.
package struct HTTPConnection: ~Copyable {
    typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let port: Int
    private var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

    /// Runs `body` with a connection, which is closed afterwards.
    package static func with<R>(
        port: Int, _ body: (inout HTTPConnection) async throws -> R
    ) async throws -> R {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = HTTPConnection(
                port: port, inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    /// One request on a connection of its own.
    package static func request(
        _ method: String, _ path: String, port: Int, headers: [(String, String)] = [],
        body: String = ""
    ) async throws -> HTTPAnswer {
        try await with(port: port) { connection in
            try await connection.request(method, path, headers: headers, body: body)
        }
    }

    package mutating func request(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: String = ""
    ) async throws -> HTTPAnswer {
        let (status, fields) = try await begin(method, path, headers: headers, body: body)
        var text = ""
        while let part = try await nextPart() { text += part }
        return HTTPAnswer(status: status, headers: fields, body: text)
    }

    /// Sends a request, and waits for the head of its answer; `nextPart` has its body.
    package mutating func begin(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: String = ""
    ) async throws -> (status: Int, headers: [(name: String, value: String)]) {
        var head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method), uri: path)
        head.headers = HTTPHeaders(headers)
        if !head.headers.contains(name: "Host") {
            head.headers.add(name: "Host", value: "127.0.0.1:\(port)")
        }
        if !body.isEmpty { head.headers.add(name: "Content-Length", value: "\(body.utf8.count)") }
        try await outbound.write(.head(head))
        if !body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
        try await outbound.write(.end(nil))
        guard case .head(let answer) = try await inbound.next(isolation: #isolation) else {
            throw HTTPClosed()
        }
        return (Int(answer.status.code), answer.headers.map { ($0.name, $0.value) })
    }

    /// The next part of a body, as it comes; nil at its end.
    package mutating func nextPart() async throws -> String? {
        switch try await inbound.next(isolation: #isolation) {
        case .body(let buffer): return String(buffer: buffer)
        case .end: return nil
        case .head, nil: throw HTTPClosed()
        }
    }
}
