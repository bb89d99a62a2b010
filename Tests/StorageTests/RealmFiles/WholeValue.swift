import Storage

/// A value with all nested values.
indirect enum WholeValue {
    case single(RealmFileValue)
    case list([WholeValue])
    case set([WholeValue])
    /// In ascending order of the bytes of the keys.
    case dictionary([(key: [UInt8], value: WholeValue)])

    init(_ value: RealmFileValue) throws {
        guard case .collection(let collection) = value else {
            self = .single(value)
            return
        }
        switch collection.kind {
        case .list: self = .list(try Self.elements(collection))
        case .set: self = .set(try Self.elements(collection))
        case .dictionary:
            var all: [(key: [UInt8], value: WholeValue)] = []
            var entries = collection.entries()
            while let (key, value) = try entries.next() {
                all.append((Self.bytes(ofKey: key), try WholeValue(value)))
            }
            all.sort { $0.key.lexicographicallyPrecedes($1.key) }
            self = .dictionary(all)
        }
    }

    private static func elements(_ collection: RealmFileCollection) throws -> [WholeValue] {
        var all: [WholeValue] = []
        var elements = collection.elements()
        while let run = try elements.next() {
            for index in 0..<run.count {
                if let value = try run.value(at: index) { all.append(try WholeValue(value)) }
            }
        }
        return all
    }

    private static func bytes(ofKey key: RealmFileValue) -> [UInt8] {
        switch key {
        case .string(let text): Array(text.utf8)
        case .malformedString(let bytes): bytes
        case .int(let number): Array("\(number)".utf8)
        default: []
        }
    }
}

/// The bytes that represent values in digests, as defined in the README of the files.
struct CanonicalBytes {
    private(set) var bytes: [UInt8] = []
    /// The name of a class, or of an internal table.
    let name: (RealmFileTableKey) -> String

    init(_ file: RealmFile) {
        name = { file.class($0)?.name ?? "" }
    }

    mutating func append(_ value: WholeValue) {
        switch value {
        case .single(let single): append(single)
        case .list(let all): append(0x0C, all)
        case .set(let all): append(0x0D, all)
        case .dictionary(let entries):
            bytes.append(0x0E)
            integer(UInt64(entries.count))
            for entry in entries {
                counted(0x05, entry.key)
                append(entry.value)
            }
        }
    }

    private mutating func append(_ tag: UInt8, _ elements: [WholeValue]) {
        bytes.append(tag)
        integer(UInt64(elements.count))
        for element in elements { append(element) }
    }

    private mutating func append(_ value: RealmFileValue) {
        switch value {
        case .null: bytes.append(0)
        case .int(let number): tagged(0x01, number)
        case .bool(let flag): bytes += [0x02, flag ? 1 : 0]
        case .float(let bits): tagged(0x03, bits)
        case .double(let bits): tagged(0x04, bits)
        case .string(let text): counted(0x05, Array(text.utf8))
        case .malformedString(let text): counted(0x05, text)
        case .data(let data): counted(0x06, data)
        case .date(let date):
            tagged(0x07, date.seconds)
            integer(date.nanoseconds)
        case .decimal(let decimal):
            tagged(0x08, decimal.low)
            integer(decimal.high)
        case .objectID(let id): bytes += [0x09] + id.bytes
        case .uuid(let uuid): bytes += [0x0A] + uuid.bytes
        case .link(let link):
            counted(0x0B, Array(name(link.table).utf8))
            integer(link.key)
        case .collection: preconditionFailure("A whole value holds what is in its collections.")
        }
    }

    private mutating func tagged(_ tag: UInt8, _ number: some FixedWidthInteger) {
        bytes.append(tag)
        integer(number)
    }

    mutating func integer(_ number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func counted(_ tag: UInt8, _ text: [UInt8]) {
        tagged(tag, UInt64(text.count))
        bytes += text
    }
}
