import Foundation
import Testing

/// A table of `Documentation/FileFormat.md` with the offsets of a structure's fields.
struct FormatTable {
    struct Row {
        let offset: Int
        /// Nil if the field continues to the end.
        let size: Int?
        let field: String

        /// Whether the field is reserved, and so has zeros.
        var isReserved: Bool { field.hasPrefix("reserved") || field == "zero" }
    }

    /// The heading above the table.
    let title: String
    let rows: [Row]

    /// The end of the last field; nil if it has none.
    var size: Int? {
        guard let last = rows.last, let size = last.size else { return nil }
        return last.offset + size
    }

    /// All tables of the page.
    static func all() throws -> [FormatTable] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = root.appendingPathComponent("Documentation/FileFormat.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        var tables: [FormatTable] = []
        var title = ""
        var rows: [Row]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") {
                title = String(line.drop { $0 == "#" || $0 == " " })
            } else if line == "| offset | bytes | field |" {
                rows = []
            } else if let row = Row(line) {
                rows?.append(row)
            } else if !line.hasPrefix("| ---") {
                if let rows { tables.append(FormatTable(title: title, rows: rows)) }
                rows = nil
            }
        }
        return tables
    }
}

extension FormatTable.Row {
    fileprivate init?(_ line: Substring) {
        let cells = line.split(separator: "|").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard line.hasPrefix("|"), cells.count == 3, let offset = Int(cells[0]) else {
            return nil
        }
        self.init(offset: offset, size: Int(cells[1]), field: cells[2])
    }
}
