/// A server-sent event.
package struct ServerEvent: Sendable, Equatable {
    package var id: String?
    package var name: String?
    package var data = ""
}

/// Reads server-sent events of one answer.
package struct EventReader {
    private var text = ""

    package init() {}

    /// The next event, also one without data; nil when the server has ended the answer.
    package mutating func next(_ connection: inout HTTPConnection) async throws -> ServerEvent? {
        while true {
            if let end = text.firstRange(of: "\n\n") {
                defer { text = String(text[end.upperBound...]) }
                var event = ServerEvent()
                for line in text[..<end.lowerBound].split(separator: "\n") {
                    if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                    if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
                }
                return event
            }
            guard let part = try await connection.nextPart() else { return nil }
            text += part
        }
    }
}
