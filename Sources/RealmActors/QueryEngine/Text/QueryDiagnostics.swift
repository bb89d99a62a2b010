/// Shows the position of a mistake in a query string.
struct QueryDiagnostics {
    private let text: String
    /// The most scalars of a line that a message shows.
    private static let width = 72

    init(_ text: String) { self.text = text }

    /// The error of a mistake at a position in Unicode scalars: the message, the line that it is
    /// in, and a caret below the place.
    func error(_ message: String, at position: Int) -> RealmError {
        let scalars = Array(text.unicodeScalars)
        let place = min(max(position, 0), scalars.count)
        var first = place
        while first > 0, !isNewline(scalars[first - 1]) { first -= 1 }
        var end = place
        while end < scalars.count, !isNewline(scalars[end]) { end += 1 }
        // A long line is cut to the part around the place.
        let start = end - first <= Self.width ? first : max(first, place - Self.width / 2)
        let last = min(end, start + Self.width)
        var line = String.UnicodeScalarView()
        for scalar in scalars[start..<last] {
            // Tabs and the like would move the caret.
            line.append(scalar.properties.isWhitespace || scalar.value < 0x20 ? " " : scalar)
        }
        let (head, tail) = (start > first ? "... " : "", last < end ? " ..." : "")
        let shown = String(line)
        // Columns are characters: marks are on the letters before them.
        var before = String.UnicodeScalarView()
        before.append(contentsOf: shown.unicodeScalars.prefix(place - start))
        let indent = String(repeating: " ", count: head.count + String(before).count)
        return .invalidQuery(
            message: "\(message)\n    \(head)\(shown)\(tail)\n    \(indent)^", position: place)
    }

    private func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r"
    }
}
