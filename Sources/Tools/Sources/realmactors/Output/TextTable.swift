import Foundation

/// Rows in columns, fitted to the width of the terminal.
struct TextTable {
    private let names: [String]
    private let isNumeric: [Bool]
    private var rows: [[String]] = []

    init(_ names: [String], isNumeric: [Bool]) {
        self.names = names.map(Cell.visible)
        self.isNumeric = isNumeric
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Cell.visible)) }

    /// The lines; where the terminal is too narrow, the widest columns are cut.
    func lines(width: Int?) -> [String] {
        var widths = names.map(\.columns)
        for row in rows {
            for (index, cell) in row.enumerated() {
                widths[index] = max(widths[index], cell.columns)
            }
        }
        if let width { fit(&widths, into: width) }
        let header = line(names, widths)
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        return [Terminal.bold(header), Terminal.dim(rule)] + rows.map { line($0, widths) }
    }

    private func fit(_ widths: inout [Int], into width: Int) {
        let gaps = 2 * max(widths.count - 1, 0)
        while widths.reduce(0, +) + gaps > width {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > 4
            else { return }
            widths[widest] -= 1
        }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var parts: [String] = []
        for (index, cell) in cells.enumerated() {
            let width = widths[index]
            let text =
                cell.columns > width ? cell.prefix(columns: max(width - 3, 0)) + "..." : cell[...]
            let space = String(repeating: " ", count: max(width - text.columns, 0))
            parts.append(isNumeric[index] ? space + text : text + space)
        }
        var line = parts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }
}
