import Foundation
import Testing

/// A table of `Documentation/FileFormat.md` that says where the fields of a structure stand.
struct FormatTable {
    struct Row {
        let offset: Int
        /// Nil for what goes on to the end.
        let size: Int?
        let field: String

        /// Whether the field holds nothing yet, and so zeros.
        var isReserved: Bool { field.hasPrefix("reserved") || field == "zero" }
    }

    /// The heading that the table stands under.
    let title: String
    let rows: [Row]

    /// Where the last field ends; nil when it has no end.
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
