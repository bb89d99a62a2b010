import RealmActors

/// The classes as boxes with their properties, and the links between them as arrows: a document of
/// SVG that needs nothing else. The same classes give the same text.
struct SVGDiagram {
    /// Measures in pixels. A fixed advance per character keeps the layout free of fonts.
    private enum Size {
        static let character = 8
        static let line = 20
        static let padding = 12
        static let margin = 24
        static let gap = 90
        static let minimumWidth = 120
        /// How far the arrow of one link stands from that of the next.
        static let lane = 14
    }

    private struct Box {
        let type: ObjectSchema
        let title: String
        let rows: [String]
        var x = 0
        var y = 0

        init(_ type: ObjectSchema) {
            self.type = type
            title = Cell.visible(type.className) + (type.isEmbedded ? " (embedded)" : "")
            rows = type.properties.map { Cell.visible(Self.described($0)) }
        }

        var width: Int {
            let longest = ([title] + rows).map(\.count).max() ?? 0
            return max(longest * Size.character + 2 * Size.padding, Size.minimumWidth)
        }

        var height: Int { Size.line * (rows.count + 1) + 2 * Size.padding }

        /// Where the text of a row, or the arrow of its link, has its middle.
        func middle(ofRow index: Int) -> Int {
            y + Size.line * (index + 1) + Size.padding + Size.line / 2
        }

        private static func described(_ property: Property) -> String {
            let type = property.diagramType(
                of: property.objectClassName ?? property.type.rawValue, opening: "<", closing: ">")
            let mark = property.diagramMark.map { ", \($0)" } ?? ""
            return "\(property.name): \(type)\(mark)"
        }
    }

    private let boxes: [Box]
    private let width: Int
    private let height: Int

    init(_ types: [ObjectSchema]) {
        var boxes = types.map { Box($0) }
        // As many columns as rows of boxes, nearly.
        var columns = 1
        while columns * columns < boxes.count { columns += 1 }
        var widths = [Int](repeating: 0, count: columns)
        for (index, box) in boxes.enumerated() {
            widths[index % columns] = max(widths[index % columns], box.width)
        }
        var top = Size.margin
        for start in stride(from: 0, to: boxes.count, by: columns) {
            var left = Size.margin
            let row = start..<min(start + columns, boxes.count)
            for index in row {
                boxes[index].x = left
                boxes[index].y = top
                left += widths[index - start] + Size.gap
            }
            top += (row.map { boxes[$0].height }.max() ?? 0) + Size.gap / 2
        }
        self.boxes = boxes
        // The arrows of the last column turn within a gap of their own.
        width = 2 * Size.margin + widths.reduce(0) { $0 + $1 + Size.gap }
        height = top + Size.margin
    }

    var text: String {
        let start = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img">
            <title>Classes and links</title>
            <style>
            svg { --back: #ffffff; --box: #f4f5f7; --ink: #1b1f24; --line: #57606a; }
            @media (prefers-color-scheme: dark) {
            svg { --back: #0d1117; --box: #1c2128; --ink: #e6edf3; --line: #9198a1; }
            }
            text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); }
            .back { fill: var(--back); }
            .box { fill: var(--box); stroke: var(--line); }
            .name { font-weight: bold; }
            .link { fill: none; stroke: var(--line); }
            .label { font-size: 11px; stroke: var(--back); stroke-width: 3; paint-order: stroke; }
            .head { fill: var(--line); }
            </style>
            <defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" \
            markerHeight="8" orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>
            <rect class="back" width="\(width)" height="\(height)"/>
            """
        return ([start] + boxes.flatMap(drawn) + boxes.flatMap(links) + ["</svg>"])
            .joined(separator: "\n")
    }

    private func drawn(_ box: Box) -> [String] {
        let left = box.x + Size.padding
        let rule = box.y + Size.line + Size.padding
        var lines = [
            "<rect class=\"box\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" "
                + "height=\"\(box.height)\" rx=\"6\"/>",
            "<path class=\"link\" d=\"M\(box.x) \(rule) H\(box.x + box.width)\"/>",
            "<text class=\"name\" x=\"\(left)\" y=\"\(box.y + Size.line)\">"
                + "\(escaped(box.title))</text>",
        ]
        for (index, row) in box.rows.enumerated() {
            lines.append(
                "<text x=\"\(left)\" y=\"\(box.middle(ofRow: index) + 4)\">\(escaped(row))</text>")
        }
        return lines
    }

    /// An arrow for each link to a class that is shown, from the row of its property.
    private func links(_ box: Box) -> [String] {
        var lines: [String] = []
        for (index, property) in box.type.properties.enumerated() {
            guard let name = property.objectClassName,
                let target = boxes.first(where: { $0.type.className == name })
            else { continue }
            let from = (x: box.x + box.width, y: box.middle(ofRow: index))
            let lane = Size.lane * (lines.count / 2 % 4 + 1)
            let end = (x: target.x, y: target.y + Size.line / 2 + Size.padding / 2)
            let path: String
            if end.x > box.x {
                // Towards a column on the right.
                path =
                    "M\(from.x) \(from.y) C\(from.x + Size.gap / 2) \(from.y) "
                    + "\(end.x - Size.gap / 2) \(end.y) \(end.x) \(end.y)"
            } else {
                // To itself, down, up or back: out on the right side, and in there again.
                let right = target.x + target.width
                let side = max(from.x, right) + lane + Size.lane
                path =
                    "M\(from.x) \(from.y) C\(side) \(from.y) "
                    + "\(side) \(end.y) \(right) \(end.y)"
            }
            let label = escaped(Cell.visible(property.name)) + (property.isCollection ? " *" : "")
            lines.append("<path class=\"link\" marker-end=\"url(#head)\" d=\"\(path)\"/>")
            lines.append(
                "<text class=\"label\" x=\"\(from.x + 6)\" y=\"\(from.y - 4)\">\(label)</text>")
        }
        return lines
    }

    /// A text in which nothing is markup.
    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
