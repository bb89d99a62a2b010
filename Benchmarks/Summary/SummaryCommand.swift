import Foundation

/// The second form of the command line: reads rows of several runs and compares them.
struct SummaryCommand {
    static let help = """
        usage: benchmarks summary FILE [--pages DIR] [--readme FILE] [--note TEXT]

          FILE            rows of benchmarks and peers, as --format tsv prints them
          --pages DIR     write Comparison.md and Comparison.svg to DIR
          --readme FILE   replace the figures between the marks in this file
          --note TEXT     a sentence for the pages: how the figures were measured
        """

    private var file = ""
    private var pages: URL?
    private var readme: URL?
    private var note = ""

    /// Runs when the command line asks for it; the exit status then.
    static func runIfAsked(_ words: [String]) -> Int32? {
        guard words.first == "summary" else { return nil }
        do {
            return try SummaryCommand(words.dropFirst()).run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\n\(help)\n".utf8))
            return 2
        }
    }

    private init(_ words: some Sequence<String>) throws(Options.Problem) {
        var words = words.makeIterator()
        while let word = words.next() {
            guard word.hasPrefix("--") else {
                file = word
                continue
            }
            guard let value = words.next() else {
                throw Options.Problem(description: "\(word) needs a value.")
            }
            switch word {
            case "--pages": pages = URL(fileURLWithPath: value, isDirectory: true)
            case "--readme": readme = URL(fileURLWithPath: value)
            case "--note": note = value
            default: throw Options.Problem(description: "Unknown option '\(word)'.")
            }
        }
        if file.isEmpty { throw Options.Problem(description: "A file with rows is needed.") }
    }

    private func run() throws -> Int32 {
        let results = Results(try String(contentsOfFile: file, encoding: .utf8))
        let comparisons = Comparison.all(in: results)
        print(ComparisonTable(comparisons).text)
        let met = comparisons.count(where: \.isMet)
        print("\n\(met) of \(comparisons.count) bars are met.")
        let shown = ComparisonPages(comparisons: comparisons, note: note + diskRates(results))
        if let pages {
            let chart = ComparisonChart(comparisons: shown.charted(comparisons))
            try write(shown.page, to: pages.appendingPathComponent("Comparison.md"))
            try write(chart.svg, to: pages.appendingPathComponent("Comparison.svg"))
        }
        if let readme {
            guard let filled = shown.filling(try String(contentsOf: readme, encoding: .utf8))
            else { throw Options.Problem(description: "'\(readme.path)' has no marks.") }
            try write(filled, to: readme)
        }
        for mistake in results.mistakes { progress(mistake) }
        return results.mistakes.isEmpty ? 0 : 1
    }

    /// Between which rates the bare disk was while the runs went on.
    private func diskRates(_ results: Results) -> String {
        guard let rates = results.range(DiskProbe.row) else { return "" }
        let least = Figure.short(rates.lowerBound)
        let most = Figure.short(rates.upperBound)
        return " The bare disk did between \(least) and \(most) syncs a second."
    }

    private func write(_ text: String, to file: URL) throws {
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
