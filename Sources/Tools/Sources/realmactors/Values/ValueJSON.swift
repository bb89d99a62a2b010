import Foundation
import RealmActors

/// Writes stored values as JSON that an import reads back exactly, for every command. `JSONEncoder`
/// does not: it writes a whole double as an integer.
struct ValueJSON {
    /// An object that stands for itself only.
    private struct Row: Hashable {
        let className: String
        let number: Int64
    }

    /// Objects nest this deep at most.
    private static let depthMax = 64
    /// How many objects are written whole once more, besides those that a record links to itself.
    /// Without a limit, a few that all link to each other are written along every path.
    private static let repeatMax = 100

    private let links: LinkForm
    private var bytes: [UInt8] = []
    /// The objects around the value and, where objects have numbers, all of the record that are
    /// whole in it.
    private var met: Set<Row> = []
    /// The objects that are whole already.
    private var written: Set<Row> = []
    private var repeats = 0
    private var depth = 0

    init(_ links: LinkForm) { self.links = links }

    /// Begins the next record.
    mutating func begin(_ object: Frozen<DynamicObject>) {
        met = [Row(className: object.className, number: object.reference.row)]
        beginRepeats()
    }

    /// An object with these properties, in this order, and with its number if it is to have one.
    mutating func record(
        _ object: Frozen<DynamicObject>, _ properties: [Property], isNumbered: Bool
    ) throws -> [UInt8] {
        begin(object)
        bytes.removeAll(keepingCapacity: true)
        try put(object, properties, number: isNumbered ? object.reference.row : nil)
        return bytes
    }

    /// An object by itself, with these properties in this order.
    mutating func text(
        _ object: Frozen<DynamicObject>, _ properties: [Property]
    ) throws -> String {
        String(decoding: try record(object, properties, isNumbered: false), as: UTF8.self)
    }

    /// The value of a property.
    mutating func text(_ value: FrozenValue, of property: Property) throws -> String {
        bytes.removeAll(keepingCapacity: true)
        beginRepeats()
        try put(value, of: property)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A value by itself.
    mutating func text(_ value: FrozenValue) throws -> String {
        bytes.removeAll(keepingCapacity: true)
        beginRepeats()
        try put(value)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Objects

    private mutating func put<Model: ObjectBase>(
        _ object: Frozen<Model>, _ properties: [Property], number: Int64?
    ) throws {
        write("{")
        if let number {
            quote(ImportedRows.field)
            write(":\(number)")
        }
        var isFirst = number == nil
        for property in properties {
            name(property.name, &isFirst)
            try put(try object[property.name], of: property)
        }
        write("}")
    }

    private mutating func put(_ value: FrozenValue, of property: Property) throws {
        if property.isMap, case .dictionary(let entries) = value {
            write("{")
            var isFirst = true
            for (key, element) in entries.sorted(by: { $0.key < $1.key }) {
                name(key, &isFirst)
                try put(element: element, of: property)
            }
            return write("}")
        }
        guard property.isArray || property.isSet, case .list(let elements) = value else {
            return try put(element: value, of: property)
        }
        write("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { write(",") }
            try put(element: element, of: property)
        }
        write("]")
    }

    /// A value of the property, or an element of its collection.
    private mutating func put(element value: FrozenValue, of property: Property) throws {
        guard let type = property.objectClassName.flatMap({ links[$0] }) else {
            return try put(value)
        }
        if case .object(let object) = value {
            return try put(object, type, isNumbered: links.numbers(type.className))
        }
        // Embedded objects are dictionaries.
        guard case .dictionary(let values) = value else { return try put(value) }
        write("{")
        var isFirst = true
        for property in links.properties(type.className) {
            name(property.name, &isFirst)
            try put(values[property.name] ?? .none, of: property)
        }
        write("}")
    }

    /// An object that is linked to.
    private mutating func put(
        _ object: Frozen<Object>, _ type: ObjectSchema, isNumbered: Bool
    ) throws {
        if let key = type.primaryKeyProperty { return try put(try object[key.name]) }
        let row = Row(className: type.className, number: object.reference.row)
        let isElsewhere = isNumbered && links.hasAll(type.className)
        if isElsewhere || met.contains(row) || !mayBeWhole(row) { return write("\(row.number)") }
        met.insert(row)
        guard depth < Self.depthMax else {
            throw ToolError(
                .badInput,
                "The links of '\(type.className)' lead too deep to be written in one object. Leave "
                    + "out the property with --columns, or export all classes to a folder.")
        }
        depth += 1
        try put(
            object, links.properties(type.className), number: isNumbered ? row.number : nil)
        depth -= 1
        if !isNumbered { met.remove(row) }
    }

    private mutating func beginRepeats() {
        if !written.isEmpty { written = [] }
        repeats = 0
    }

    /// Notes that an object is written whole; false when that has been done too often.
    private mutating func mayBeWhole(_ row: Row) -> Bool {
        if written.insert(row).inserted || depth == 0 { return true }
        repeats += 1
        return repeats <= Self.repeatMax
    }

    // MARK: Values

    private mutating func put(_ value: FrozenValue) throws {
        switch value {
        case .none: write("null")
        case .int(let number): write("\(number)")
        case .bool(let flag): write("\(flag)")
        case .float(let number): write(real: "\(number)", isFinite: number.isFinite)
        case .double(let number): write(real: "\(number)", isFinite: number.isFinite)
        case .string(let text): quote(text)
        case .data(let data): quote(data.base64EncodedString())
        case .date(let date):
            guard let text = DateText.exact(date) else {
                return try put(.double(date.timeIntervalSinceReferenceDate))
            }
            quote(text)
        case .uuid(let id): quote(id.uuidString)
        case .object(let object):
            // In a property of any type: nothing says there that a number would be one.
            let name = object.withObject { $0.objectSchema.className }
            guard let type = links[name] else { return write("null") }
            try put(object, type, isNumbered: false)
        case .objectId(let id): quote("\(id)")
        case .decimal128(let number): quote("\(number)")
        case .list(let values):
            write("[")
            for (index, value) in values.enumerated() {
                if index > 0 { write(",") }
                try put(value)
            }
            write("]")
        case .dictionary(let entries):
            write("{")
            var isFirst = true
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                name(key, &isFirst)
                try put(value)
            }
            write("}")
        }
    }

    // MARK: Text

    private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// The name of what follows in an object.
    private mutating func name(_ name: String, _ isFirst: inout Bool) {
        if !isFirst { write(",") }
        isFirst = false
        quote(name)
        write(":")
    }

    /// A number that is none of JSON is a text.
    private mutating func write(real text: String, isFinite: Bool) {
        if isFinite { write(text) } else { quote(text) }
    }

    private mutating func quote(_ text: String) {
        write("\"")
        // All that has to be escaped begins with one of these bytes.
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0x7F
                && $0 != 0xC2
        }
        if isPlain {
            write(text)
        } else {
            for scalar in text.unicodeScalars { write(JSONText.escaped(scalar)) }
        }
        write("\"")
    }
}
