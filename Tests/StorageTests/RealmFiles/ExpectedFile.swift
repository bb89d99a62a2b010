/// The contents of a file, as read by Realm.
struct ExpectedFile: Decodable {
    struct Table: Decodable {
        let table: String
        let `class`: String?
        let kind: String
        let primaryKey: String?
        let properties: [Property]
        let count: Int
        let keysSHA256: String
        let columnSHA256: [String: String]
        let objects: [Object]
    }

    struct Property: Decodable {
        let name: String
        let type: String
        let optional: Bool
        let collection: String?
        let primaryKey: Bool
        let indexed: Bool
        let fullText: Bool
        let enumerated: Bool?
        let target: String?
    }

    struct Object: Decodable {
        let key: String
        let values: [String: JSONValue]
        /// The keys of the objects that link to it, by class and property; one for each link.
        let backlinks: [String: [String]]?
    }

    let fileFormat: Int
    let schemaVersion: String?
    let tables: [Table]
}

/// Any JSON.
indirect enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var elements: [JSONValue]? { if case .array(let all) = self { all } else { nil } }

    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}
