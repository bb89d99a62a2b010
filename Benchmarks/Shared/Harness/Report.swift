import Foundation

/// Prints measurements as they come.
struct Report {
    /// The name of this database in the output.
    static let ourName = "realm-actors"

    private let format: Options.Format
    private let engine: String
    private var isFirst = true
    private(set) var hasMistakes = false

    init(_ format: Options.Format, engine: String) {
        self.engine = engine
        self.format = format
    }

    mutating func add(_ measurement: Measurement) {
        if !measurement.isRight { hasMistakes = true }
        switch format {
        case .table: addToTable(measurement)
        case .tsv: addToTSV(measurement)
        case .json: addToJSON(measurement)
        }
        isFirst = false
        fflush(nil)
    }

    func finish() {
        if format == .json { print(isFirst ? "[]" : "\n]") }
    }

    private func addToTable(_ row: Measurement) {
        if isFirst { print(columns("workload", "value", "unit", "check")) }
        print(columns(row.workload, Self.readable(row.value), row.unit, row.check))
    }

    private func columns(_ name: String, _ value: String, _ unit: String, _ check: String)
        -> String
    {
        let gap = String(repeating: " ", count: max(1, 44 - name.count - value.count))
        let unitGap = String(repeating: " ", count: max(1, 14 - unit.count))
        return "\(name)\(gap)\(value) \(unit)\(unitGap)\(check)"
    }

    private func addToTSV(_ row: Measurement) {
        let fields = [engine, row.workload, Self.plain(row.value), row.unit, row.check]
        print(fields.joined(separator: "\t"))
    }

    private func addToJSON(_ row: Measurement) {
        let value = row.value.map { _ in Self.plain(row.value) } ?? "null"
        let texts = [("workload", row.workload), ("unit", row.unit), ("check", row.check)]
        let quoted = texts.map { "\"\($0)\": \"\(Self.escaped($1))\"" }.joined(separator: ", ")
        print("\(isFirst ? "[\n" : ",\n")  {\(quoted), \"value\": \(value)}", terminator: "")
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\")
            .replacingOccurrences(of: "\"", with: "\\\"")
    }

    private static func plain(_ value: Double?) -> String {
        guard let value else { return "unsupported" }
        return abs(value) >= 1000
            ? String(format: "%.0f", value) : String(format: "%.4g", value)
    }

    /// With a comma between groups of three digits.
    private static func readable(_ value: Double?) -> String {
        let text = plain(value)
        guard let value, abs(value) >= 1000 else { return text }
        var grouped = ""
        for (index, digit) in text.enumerated() {
            if index > 0, (text.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        return grouped
    }
}
