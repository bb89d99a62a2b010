import Foundation
import Hummingbird
import RealmActors

/// `POST /orders/import`: an order in JSON on each line, with its identifier, so that the same
/// import again changes nothing. The body is read as it comes and written in transactions, so that
/// its size takes no memory.
struct OrderImport: Sendable {
    let database: RealmService

    /// How many orders one transaction has.
    static let batch = 500
    static let bodyLimit = 256 << 20

    private struct Result: Encodable {
        let imported: Int
    }

    func run(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        var (rest, lines, imported, bytes) = (Data(), [Data](), 0, 0)
        for try await buffer in request.body {
            bytes += buffer.readableBytes
            guard bytes <= Self.bodyLimit else {
                throw refusal("The body is larger than \(Self.bodyLimit) bytes.", imported)
            }
            rest.append(contentsOf: buffer.readableBytesView)
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                try requireShort(end - start, imported)
                add(rest[start..<end], to: &lines)
                start = rest.index(after: end)
                if lines.count == Self.batch { try await flush(&lines, &imported) }
            }
            rest = Data(rest[start...])
            try requireShort(rest.count, imported)
        }
        add(rest, to: &lines)
        try await flush(&lines, &imported)
        return try .json(Result(imported: imported))
    }

    /// Takes a line without what some systems end it with besides.
    private func add(_ line: Data, to lines: inout [Data]) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if !line.isEmpty { lines.append(Data(line)) }
    }

    /// Writes what was read, in one transaction: durable when this returns.
    private func flush(_ lines: inout [Data], _ imported: inout Int) async throws {
        if lines.isEmpty { return }
        let json = Data("[".utf8) + Data(lines.joined(separator: Data(",".utf8))) + Data("]".utf8)
        let count = lines.count
        do {
            try await database.realm.write(author: "POST /orders/import") { tx in
                guard try tx.importOrders(json, update: .modified).count == count else {
                    throw RealmError.invalidValue("A line must be one order.")
                }
            }
        } catch RealmError.invalidValue(let text) {
            throw HTTPError(
                .unprocessableContent,
                message: "Of the lines \(imported + 1) to \(imported + count): \(text) "
                    + "The lines before are imported.")
        }
        imported += count
        lines = []
    }

    /// Refuses a line that is too long, also before its end has come.
    private func requireShort(_ count: Int, _ imported: Int) throws {
        if count <= OrderRoutes.orderLimit { return }
        throw refusal("A line is longer than \(OrderRoutes.orderLimit) bytes.", imported)
    }

    private func refusal(_ text: String, _ imported: Int) -> HTTPError {
        HTTPError(.contentTooLarge, message: "\(text) \(imported) lines are imported.")
    }
}
