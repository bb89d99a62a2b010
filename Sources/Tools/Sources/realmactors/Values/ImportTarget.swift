import Foundation
import RealmActors

/// The target of an import, and its operations.
struct ImportTarget: Sendable {
    let schema: Schema
    let update: UpdatePolicy
    let unknownKeys: UnknownKeys
    let links: ImportedLinks

    /// Imports the objects of a batch, and returns how many there are.
    func take(
        _ batch: ImportRecords.Batch, of type: ObjectSchema, _ rows: inout ImportedRows,
        in tx: WriteTransaction
    ) throws -> Int {
        do throws(RealmError) {
            // Links may have made objects by their keys alone, which the file has in full further
            // down.
            return try tx.dynamicCreate(
                type.className, json: batch.json, rows: &rows, update: update,
                unknownKeys: unknownKeys, links: links, decoder: JSONText.decoder()
            ).count
        } catch {
            throw ToolError(ExitStatus(error), "\(batch.place): \(error)")
        }
    }

    /// Refuses links by number to objects that the JSON does not have.
    func requireAll(_ rows: ImportedRows) throws {
        guard let (name, numbers) = rows.missing.min(by: { $0.key < $1.key }) else { return }
        throw ToolError(
            .badInput,
            "A link leads to the '\(name)' with \"\(ImportedRows.field)\": \(numbers[0]), which "
                + "the import does not have. Import the folder of the export, with all its files.")
    }

    /// Whether objects of a class have no primary key, or link to such: another import of the same
    /// ones would not find them again.
    func lacksKeys(_ type: ObjectSchema) -> Bool {
        var (open, seen) = ([type], Set<String>())
        while let next = open.popLast() {
            if next.primaryKeyProperty == nil, !next.isEmbedded { return true }
            let linked = next.properties.compactMap(\.objectClassName).compactMap { schema[$0] }
            // What has a key is given by that.
            open += linked.filter {
                $0.primaryKeyProperty == nil && seen.insert($0.className).inserted
            }
        }
        return false
    }
}

/// A file with objects of one class.
struct ImportFile: Sendable {
    let path: String
    let type: ObjectSchema
    let format: ImportFormat
    /// What errors begin with.
    var title = ""
    /// What was read of it already.
    var contents: Data?

    /// The same file, read to its end if another program writes it: a transaction must not wait for
    /// that, because other writers would wait too.
    func readingPipe() throws -> ImportFile {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if attributes?[.type] as? FileAttributeType == .typeRegular { return self }
        var read = self
        read.contents = try LineReader.contents(path)
        return read
    }

    /// What is in it.
    func records(_ schema: Schema) throws -> ImportRecords {
        switch format {
        case .json: return .whole(try contents ?? LineReader.contents(path), title)
        case .jsonl:
            let reader = try contents.map { LineReader($0, of: path) } ?? LineReader(path: path)
            return .lines(reader, line: 0, title)
        case .csv:
            let bytes = try contents ?? LineReader.contents(path)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ToolError(
                    .badInput, "\(title)The file is not in UTF-8. Convert it with `iconv`.")
            }
            var reader = CSVReader(text)
            let first = reader.next() ?? []
            try reader.requireSound(title)
            var names = Set<String>()
            let header = try first.map { name -> ImportRecords.Column in
                guard names.insert(name.text).inserted else {
                    throw ToolError(
                        .badInput, "\(title)Line 1 has the column '\(name.text)' twice.")
                }
                if let property = type[name.text] { return .property(property) }
                if name.text == ImportedRows.field { return .number }
                throw ToolError(
                    .badInput,
                    "\(title)Line 1: '\(type.className)' has no property '\(name.text)'.")
            }
            return .table(reader, header, TextValue(schema: schema), type, title)
        }
    }
}

/// What a file has, a batch at a time. The text is what errors begin with.
enum ImportRecords {
    case whole(Data?, String)
    case lines(LineReader, line: Int, String)
    case table(CSVReader, [Column], TextValue, ObjectSchema, String)

    /// A column of a table.
    enum Column {
        case property(Property)
        /// The numbers by which links refer to objects that have no primary key.
        case number
    }

    struct Batch {
        let json: Data
        /// Where it stands, for errors.
        let place: String
    }

    /// The part of the file that was read, from 0 to 1; nil where its end is not known.
    var part: Double? {
        switch self {
        case .whole: nil
        case .lines(let reader, _, _): reader.part
        case .table(let reader, _, _, _, _): reader.part
        }
    }

    /// The next batch as an array in JSON, or the whole JSON of a file; nil at the end.
    mutating func next(upTo count: Int) throws -> Batch? {
        let title: String
        switch self {
        case .whole(let data, let name):
            self = .whole(nil, name)
            return data.map { Batch(json: $0, place: name + "The file") }
        case .lines(_, _, let name): title = name
        case .table(_, _, _, _, let name): title = name
        }
        var json = Data("[".utf8)
        var first: Int?
        var last = 0
        for _ in 0..<count {
            guard let (record, line) = try next(title) else { break }
            if first != nil { json.append(UInt8(ascii: ",")) }
            json.append(record)
            first = first ?? line
            last = line
        }
        json.append(UInt8(ascii: "]"))
        return first.map { Batch(json: json, place: "\(title)Lines \($0...last)") }
    }

    /// The next object in JSON, and the line that it stands on.
    private mutating func next(_ title: String) throws -> (Data, Int)? {
        switch self {
        case .whole: return nil
        case .lines(var reader, var line, _):
            defer { self = .lines(reader, line: line, title) }
            while let record = try reader.next() {
                line += 1
                if record.contains(where: { $0 > UInt8(ascii: " ") }) { return (record, line) }
            }
            return nil
        case .table(var reader, let header, let values, let type, _):
            defer { self = .table(reader, header, values, type, title) }
            guard let record = reader.next() else { return nil }
            try reader.requireSound(title)
            guard record.count == header.count else {
                throw ToolError(
                    .badInput,
                    "\(title)Line \(reader.line) has \(record.count) fields, and the first line "
                        + "\(header.count).")
            }
            let fields = try zip(header, record).map { column, field -> String in
                switch column {
                case .property(let property):
                    do {
                        let value = try values.json(
                            field.text, isQuoted: field.isQuoted, property, in: type)
                        return "\(try JSONText.text(property.name)):\(value)"
                    } catch let error as ToolError {
                        throw ToolError(error.status, "\(title)Line \(reader.line): \(error)")
                    }
                case .number:
                    guard let number = Int64(field.text) else {
                        throw ToolError(
                            .badInput,
                            "\(title)Line \(reader.line): '\(field.text)' is not an integer.")
                    }
                    return "\(try JSONText.text(ImportedRows.field)):\(number)"
                }
            }
            return (Data("{\(fields.joined(separator: ","))}".utf8), reader.line)
        }
    }
}

extension CSVReader {
    /// Refuses the last record when it is none.
    fileprivate func requireSound(_ title: String) throws {
        guard let mistake else { return }
        throw ToolError(.badInput, "\(title)Line \(line): \(mistake)")
    }
}
