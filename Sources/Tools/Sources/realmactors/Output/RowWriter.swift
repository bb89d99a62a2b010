import Foundation
import RealmActors

/// Writes objects of one class in one of the formats.
struct RowWriter {
    private let format: OutputFormat
    private let properties: [Property]
    private let output: FileHandle
    private let encoder = JSONText.encoder()
    private var table: TextTable
    private var count = 0
    private var buffer = Data()

    init(_ format: OutputFormat, _ properties: [Property], to output: FileHandle = .standardOutput)
    {
        self.format = format
        self.properties = properties
        self.output = output
        table = TextTable(
            properties.map(\.name),
            isNumeric: properties.map {
                [.int, .float, .double, .decimal128].contains($0.type) && !$0.isCollection
            })
        switch format {
        case .csv: put(properties.map { CSV.field($0.name) }.joined(separator: ",") + "\n")
        case .json: put("[")
        case .table, .jsonl: break
        }
    }

    /// Writes an object. A table is written at the end, when its widths are known.
    mutating func write(_ object: Frozen<DynamicObject>) throws {
        switch format {
        case .table:
            table.add(try properties.map { Cell.text(try object[$0.name]) })
        case .csv:
            let fields = try properties.map { property in
                CSV.field(try Cell.exact(try object[property.name], encoder))
            }
            put(fields.joined(separator: ",") + "\n")
        case .json, .jsonl:
            if format == .json { put(count == 0 ? "\n" : ",\n") }
            var values: [String: FrozenValue] = [:]
            for property in properties { values[property.name] = try object[property.name] }
            buffer.append(try encoder.encode(values))
            if format == .jsonl { put("\n") }
        }
        count += 1
        if buffer.count > 1 << 16 { try flush() }
    }

    /// Writes what is left.
    mutating func finish() throws {
        switch format {
        case .table:
            for line in table.lines(width: Terminal.width) { put(line + "\n") }
        case .json: put(count == 0 ? "]\n" : "\n]\n")
        case .jsonl, .csv: break
        }
        try flush()
    }

    private mutating func flush() throws {
        try output.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func put(_ text: String) { buffer.append(contentsOf: text.utf8) }
}

extension Property {
    /// Whether it has elements.
    var isCollection: Bool { isArray || isSet || isMap }
}

/// Comma-separated values as RFC 4180 has them.
enum CSV {
    static func field(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
