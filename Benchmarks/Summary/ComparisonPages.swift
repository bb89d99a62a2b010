import Foundation

/// The pages that show the figures.
struct ComparisonPages {
    let comparisons: [Comparison]
    /// How and when the figures were taken.
    let note: String

    /// The page with every row.
    var page: String {
        """
        # Side by side

        Written by `Benchmarks/compare`. \(note)

        ![The rows of the chart, as bars](Comparison.svg)

        The ratio says how many times better RealmActors is than the best of the others: above 1 it
        is ahead. The last column says whether the bar is met, and `goal` where the goal beyond it
        is. A bar in brackets was set on a quicker disk; in front of it is what it comes to here.
        The rows are explained in [Benchmarks](Benchmarks.md).

        \(ComparisonTable(comparisons).markdown)

        """
    }

    /// What the README shows between its two marks.
    var excerpt: String {
        let rows = charted(comparisons).map { comparison in
            let best = comparison.best.map {
                "\(Figure.full($0.entry)) (\($0.engine))"
            }
            return "| \(comparison.row.title) (`\(comparison.row.name)`) "
                + "| \(Figure.full(comparison.ours)) | \(best ?? "-") "
                + "| \(Figure.times(comparison.advantage)) |"
        }
        return """
            ![RealmActors beside LMDB, SQLite and GRDB](Documentation/Comparison.svg)

            \(note)

            | workload | RealmActors | best of the others | ratio |
            | --- | ---: | ---: | ---: |
            \(rows.joined(separator: "\n"))

            """
    }

    /// The rows that the chart and the README show: those that some peer has as well.
    func charted(_ comparisons: [Comparison]) -> [Comparison] {
        comparisons.filter { Self.charted.contains($0.row.name) && !$0.peers.isEmpty }
    }

    private static let charted: Set<String> = [
        "w01_insert", "w02_commit_string", "w03_conc64", "w04_nd_commit_string_64", "w05_pk",
        "w05_email", "w06_count", "w06_contains", "w07_sum", "w08_first1000", "w09_enum",
        "w10_update_all", "w11_delete", "w12_open", "w13_stream", "w14_reads", "w14_writes",
    ]

    /// A README with the excerpt in place of what is between its marks; nil when it has none.
    func filling(_ readme: String) -> String? {
        guard let start = readme.range(of: "<!-- FIGURES"),
            let end = readme.range(of: "<!-- END OF FIGURES -->"),
            start.upperBound <= end.lowerBound
        else { return nil }
        let mark = "<!-- FIGURES: written by Benchmarks/compare -->\n\n"
        return readme[..<start.lowerBound] + mark + excerpt + "\n" + readme[end.lowerBound...]
    }
}
