import Foundation

/// A bar chart: for each workload a bar per database, the longest for the best. Its colours fit a
/// light and a dark page.
struct ComparisonChart {
    let comparisons: [Comparison]

    private static let width = 820.0
    private static let labels = 300.0
    private static let values = 150.0
    private static let barHeight = 9.0
    private static let barStep = 11.0
    private static let groupGap = 12.0
    private static let top = 64.0

    private static let style = """
        text { font: 12px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
        .title { font-size: 15px; font-weight: 600 }
        .value { font-size: 10px; fill: #59636e }
        .ours { fill: #e8590c } .lmdb { fill: #4c6ef5 } .sqlite { fill: #2b8a9e }
        .grdb { fill: #9775c7 } .axis { stroke: #d1d9e0 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .value { fill: #9198a1 } .axis { stroke: #3d444d }
          .ours { fill: #ff922b } .lmdb { fill: #748ffc } .sqlite { fill: #3bc9db }
          .grdb { fill: #b197fc }
        }
        """

    var svg: String {
        var body = ""
        var y = Self.top
        for comparison in comparisons {
            let group = group(comparison, at: y)
            body += group.text
            y += group.height + Self.groupGap
        }
        let axis = Self.labels - 4
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" \
            height="\(Int(y))" viewBox="0 0 \(Int(Self.width)) \(Int(y))" role="img" \
            aria-label="RealmActors beside LMDB, SQLite and GRDB">
            <style>
            \(Self.style)
            </style>
            <text class="title" x="12" y="24">Speed relative to the best; longer is better</text>
            \(legend)
            <path class="axis" d="M\(axis) \(Self.top - 6)V\(y - 4)"/>
            \(body)</svg>

            """
    }

    private var legend: String {
        var x = 12.0
        var text = ""
        for (kind, title) in [("ours", "RealmActors")] + Comparison.engines {
            text += "<rect class=\"\(kind)\" x=\"\(x)\" y=\"37\" width=\"10\" height=\"10\"/>"
            text += "<text x=\"\(x + 15)\" y=\"46\">\(title)</text>\n"
            x += 32 + Double(title.count) * 7.5
        }
        return text
    }

    /// The bars of one workload.
    private func group(_ comparison: Comparison, at y: Double) -> (text: String, height: Double) {
        let kinds = ["ours"] + comparison.peers.map { $0.engine.lowercased() }
        let entries = [comparison.ours] + comparison.peers.map(\.entry)
        let best = entries.map(\.value).reduce(comparison.ours.value) {
            comparison.row.advantage(of: $1, over: $0) > 1 ? $1 : $0
        }
        let height = Double(entries.count) * Self.barStep
        let middle = y + height / 2 + 3
        var text = "<text x=\"\(Self.labels - 14)\" y=\"\(middle)\" text-anchor=\"end\">"
        text += "\(comparison.row.title)</text>\n"
        let room = Self.width - Self.labels - Self.values
        for (index, entry) in entries.enumerated() {
            let share = comparison.row.advantage(of: entry.value, over: best)
            let length = String(format: "%.1f", max(1, room * share))
            let barY = y + Double(index) * Self.barStep
            let labelX = String(format: "%.1f", Self.labels + max(1, room * share) + 6)
            text += "<rect class=\"\(kinds[index])\" x=\"\(Self.labels)\" y=\"\(barY)\""
            text += " width=\"\(length)\" height=\"\(Self.barHeight)\" rx=\"1.5\"/>"
            text += "<text class=\"value\" x=\"\(labelX)\" y=\"\(barY + 8)\">"
            text += "\(Figure.full(entry))</text>\n"
        }
        return (text, height)
    }
}
