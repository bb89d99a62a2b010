/// Descriptions of collections: the first elements, one per line.
enum CollectionDescription {
    private static let maximumElements = 100
    private static let summedUpElements = 10
    /// The size limit in bytes; the element that exceeds it is the last.
    private static let maximumSize = 16_000

    /// The text with whole elements.
    static func text(
        of name: String, count: Int, _ entries: some Sequence<(label: String, value: Any)>
    ) -> String {
        var lines: [String] = []
        var size = 0
        for (label, value) in entries.prefix(maximumElements) where size < maximumSize {
            let text = indented(ObjectDescription.text(ofElement: value))
            lines.append("\t[\(ObjectDescription.bounded(label, 100))] " + text)
            size += text.utf8.count
        }
        if count > lines.count { lines.append("\t... \(count - lines.count) more") }
        return "\(name) (\n\(lines.joined(separator: ",\n"))\n)"
    }

    /// How many elements there are, and the first of them in a line each.
    static func summary(of name: String, _ elements: some Collection) -> String {
        let count = elements.count
        if count == 0 { return "\(name) (empty)" }
        var lines = elements.prefix(summedUpElements).enumerated().map { position, element in
            "\t[\(position)] \(ObjectDescription.brief(element))"
        }
        if count > lines.count { lines.append("\t... \(count - lines.count) more") }
        return "\(name) (\(count)) (\n\(lines.joined(separator: ",\n"))\n)"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}
