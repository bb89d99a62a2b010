/// Writes collections out for people: one element under the other, the first of them.
enum CollectionDescription {
    private static let maximumElements = 100

    static func text(
        of name: String, count: Int, _ entries: some Sequence<(label: String, value: Any)>
    ) -> String {
        var lines = entries.prefix(maximumElements).map { label, value in
            "\t[\(label)] " + indented(ObjectDescription.text(ofElement: value))
        }
        if count > maximumElements { lines.append("\t... \(count - maximumElements) more") }
        return "\(name) (\n\(lines.joined(separator: ",\n"))\n)"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}
