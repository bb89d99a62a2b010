import Foundation
import RealmActors

/// Where an import goes to, and what it does there.
struct ImportTarget: Sendable {
    let realm: Realm
    let type: ObjectSchema
    let update: UpdatePolicy
    let unknownKeys: UnknownKeys
    let links: ImportedLinks

    /// Imports an array of objects in one transaction, and returns how many it took.
    ///
    /// - Parameter place: where the array stands, for errors.
    func take(_ json: Data, _ place: String) async throws -> Int {
        let (type, update, unknownKeys, links) = (type, update, unknownKeys, links)
        do {
            return try await realm.write(author: "realmactors import") { tx in
                try tx.dynamicCreate(
                    type.className, json: json, update: update, unknownKeys: unknownKeys,
                    links: links, decoder: JSONText.decoder()
                ).count
            }
        } catch let error as RealmError {
            throw ToolError(ExitStatus(error), "\(place): \(error)")
        }
    }
}

/// What a file has, a batch at a time.
enum ImportRecords {
    case lines(LineReader, line: Int)
    case table(CSVReader, header: [Property], TextValue, ObjectSchema)

    struct Batch {
        let json: Data
        let lines: ClosedRange<Int>
    }

    static func lines(_ reader: LineReader) -> ImportRecords { .lines(reader, line: 0) }

    static func table(_ reader: CSVReader, _ target: ImportTarget) throws -> ImportRecords {
        var reader = reader
        let header = try (reader.next() ?? []).map { name in
            guard let property = target.type[name.text] else {
                throw ToolError(
                    .badInput,
                    "Line 1: '\(target.type.className)' has no property '\(name.text)'.")
            }
            return property
        }
        return .table(reader, header: header, TextValue(schema: target.realm.schema), target.type)
    }

    /// The part of the file that was read, from 0 to 1; nil where its end is not known.
    var part: Double? {
        switch self {
        case .lines(let reader, _): reader.part
        case .table(let reader, _, _, _): reader.part
        }
    }

    /// The next batch as an array in JSON; nil at the end.
    mutating func next(upTo count: Int) throws -> Batch? {
        var json = Data("[".utf8)
        var first: Int?
        var last = 0
        for _ in 0..<count {
            guard let (record, line) = try next() else { break }
            if first != nil { json.append(UInt8(ascii: ",")) }
            json.append(record)
            first = first ?? line
            last = line
        }
        json.append(UInt8(ascii: "]"))
        return first.map { Batch(json: json, lines: $0...last) }
    }

    /// The next object in JSON, and the line that it stands on.
    private mutating func next() throws -> (Data, Int)? {
        switch self {
        case .lines(var reader, var line):
            defer { self = .lines(reader, line: line) }
            while let record = try reader.next() {
                line += 1
                if record.contains(where: { $0 > UInt8(ascii: " ") }) { return (record, line) }
            }
            return nil
        case .table(var reader, let header, let values, let type):
            defer { self = .table(reader, header: header, values, type) }
            guard let record = reader.next() else { return nil }
            guard record.count == header.count else {
                throw ToolError(
                    .badInput,
                    "Line \(reader.line) has \(record.count) fields, and the first line "
                        + "\(header.count).")
            }
            let fields = try zip(header, record).map { property, field in
                let value = try values.json(
                    field.text, isQuoted: field.isQuoted, property, in: type)
                return "\(try JSONText.text(property.name)):\(value)"
            }
            return (Data("{\(fields.joined(separator: ","))}".utf8), reader.line)
        }
    }
}
