import Foundation

/// The medians of all runs in a file of tab-separated rows.
struct Results {
    /// What one database did in one workload.
    struct Entry {
        let value: Double
        let unit: String
    }

    private var values: [String: [String: [Double]]] = [:]
    private var units: [String: String] = [:]
    /// Answers that were wrong.
    private(set) var mistakes: [String] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            guard fields.count == 5 else { continue }
            if fields[4].hasPrefix("WRONG") {
                mistakes.append("\(fields[0]) \(fields[1]): \(fields[4])")
            }
            guard let value = Double(fields[2]) else { continue }
            values[fields[0], default: [:]][fields[1], default: []].append(value)
            units[fields[1]] = fields[3]
        }
    }

    /// The least and the most that any database saw in a row.
    func range(_ row: String) -> ClosedRange<Double>? {
        let found = values.values.flatMap { $0[row] ?? [] }
        guard let least = found.min(), let most = found.max() else { return nil }
        return least...most
    }

    /// The median of a database in a row; nil where it has none.
    func entry(_ engine: String, _ row: String) -> Entry? {
        guard let found = values[engine]?[row], let unit = units[row] else { return nil }
        return Entry(value: found.median, unit: unit)
    }

    /// The same as a row is compared: a rate, or a share of the bare disk's rate in the same runs.
    func entry(_ engine: String, _ row: Row) -> Entry? {
        guard let plain = entry(engine, row.name) else { return nil }
        guard row.scale == .perProbe else { return plain }
        guard let probe = entry(engine, DiskProbe.row) else { return nil }
        return Entry(value: plain.value / probe.value, unit: "of the bare disk")
    }
}
