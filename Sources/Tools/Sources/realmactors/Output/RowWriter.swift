import Foundation
import RealmActors

/// Writes objects of one class in one of the formats.
struct RowWriter {
    private let format: OutputFormat
    private let properties: [Property]
    /// Whether a record has the number of its object.
    private let isNumbered: Bool
    private let output: FileHandle
    private var json: ValueJSON
    private var table: TextTable
    private var count = 0
    private var buffer = Data()

    init(
        _ format: OutputFormat, _ properties: [Property], _ links: LinkForm,
        isNumbered: Bool = false, to output: FileHandle = .standardOutput
    ) {
        self.format = format
        self.properties =
            switch format {
            case .table, .csv: properties
            case .json, .jsonl: properties.sorted { $0.name < $1.name }
            }
        self.isNumbered = isNumbered
        self.output = output
        json = ValueJSON(links)
        table = TextTable(
            properties.map(\.name),
            isNumeric: properties.map {
                [.int, .float, .double, .decimal128].contains($0.type) && !$0.isCollection
            })
        switch format {
        case .csv:
            let names = (isNumbered ? [ImportedRows.field] : []) + properties.map(\.name)
            put(names.map { CSV.field($0) }.joined(separator: ",") + "\n")
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
            json.begin(object)
            var fields = isNumbered ? ["\(object.reference.row)"] : []
            for property in properties {
                let value = try object[property.name]
                let text = try Cell.exact(value, of: property, &json)
                fields.append(CSV.field(text, isNil: value == .none))
            }
            // An empty line is no record.
            if fields == [""] { fields = ["null"] }
            put(fields.joined(separator: ",") + "\n")
        case .json, .jsonl:
            if format == .json { put(count == 0 ? "\n" : ",\n") }
            buffer.append(
                contentsOf: try json.record(object, properties, isNumbered: isNumbered))
            if format == .jsonl { put("\n") }
        }
        count += 1
        if buffer.count > 1 << 16 { try flush() }
    }

    /// Writes the remaining rows.
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
            throw ToolError.unwritable(error)
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
