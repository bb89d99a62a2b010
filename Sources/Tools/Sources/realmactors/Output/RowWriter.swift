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
            var fields = try properties.map { property in
                let value = try object[property.name]
                let text = try Cell.exact(value, of: property, encoder)
                return CSV.field(text, isNil: value == .none)
            }
            // An empty line is no record.
            if fields == [""] { fields = ["null"] }
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
        do {
            try output.write(contentsOf: buffer)
        } catch {
            throw ToolError(.disk, "The output cannot be written: \(error)")
        }
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
    /// - Parameter isNil: else a text that looks like nil is quoted.
    static func field(_ text: String, isNil: Bool = true) -> String {
        let looksNil = text.isEmpty || text == "null"
        // By scalars, as they are read: a mark behind a comma makes another character of it.
        let isSpecial = text.unicodeScalars.contains {
            $0 == "," || $0 == "\"" || $0.properties.generalCategory == .control
                || $0 == "\u{2028}" || $0 == "\u{2029}"
        }
        guard isSpecial || looksNil && !isNil else { return text }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
