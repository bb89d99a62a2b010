import Foundation

/// All rows with their medians, ratios and bars.
struct ComparisonTable {
    private let header: [String]
    private let rows: [[String]]

    init(_ comparisons: [Comparison]) {
        header =
            ["workload", "unit", "RealmActors"] + Comparison.engines.map { $0.1 }
            + ["ours / best peer", "bar", "met"]
        rows = comparisons.map { comparison in
            let peers = Comparison.engines.map { engine in
                comparison.peers.first { $0.engine == engine.1 }
                    .map { Figure.short($0.entry.value) } ?? "-"
            }
            return [comparison.row.name, comparison.ours.unit, Figure.short(comparison.ours.value)]
                + peers
                + [
                    Figure.times(comparison.advantage), Self.bar(comparison), comparison.verdict,
                ]
        }
    }

    /// The bar, some as multiples of the best peer; where the disk was slower than the one that it
    /// was set on, also what is left of it.
    private static func bar(_ comparison: Comparison) -> String {
        if comparison.row.scale == .perPeer { return Figure.times(comparison.row.bar) }
        let plain = Figure.short(comparison.row.bar)
        guard comparison.bar != comparison.row.bar else { return plain }
        return "\(Figure.short(comparison.bar)) (\(plain))"
    }

    /// For a terminal.
    var text: String {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([header] + rows).map { row in
            row.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                return column < 2 ? cell + gap : gap + cell
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    var markdown: String {
        let rule = header.indices.map { $0 < 2 ? "---" : "---:" }
        let rows = self.rows.map { row in ["`\(row[0])`"] + row.dropFirst() }
        return ([header, rule] + rows)
            .map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }
}
