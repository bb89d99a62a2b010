import Foundation

/// Numbers as people read them.
enum Figure {
    /// Three digits, with k and M for large numbers.
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case 1e6...: "\(digits(value / 1e6)) M"
        case 1e4...: "\(digits(value / 1e3)) k"
        case 1e3...: String(format: "%.0f", value)
        default: digits(value)
        }
    }

    /// A value with its unit: "1.08 M objects/s", "15.2 ms".
    static func full(_ entry: Results.Entry) -> String {
        if entry.unit == "%" { return "\(digits(entry.value)) %" }
        return "\(short(entry.value)) \(entry.unit)"
    }

    static func times(_ value: Double?) -> String {
        value.map { "\(digits($0)) x" } ?? "-"
    }

    private static func digits(_ value: Double) -> String {
        let decimals = abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0
        return String(format: abs(value) < 0.1 ? "%.3f" : "%.\(decimals)f", value)
    }
}
