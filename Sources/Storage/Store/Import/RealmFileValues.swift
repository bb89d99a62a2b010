import Foundation

/// Converts values of a `.realm` file to those of a store.
struct RealmFileValues {
    /// What was changed in comparison with the file.
    var changes = RealmFileChanges()
    private let numbers: [RealmFileTableKey: ClassID]
    private let keys: [ClassID: RealmFileKeys]
    private let path: String
    private let isSalvage: Bool
    /// The offset of the leaf with the current object.
    private var offset = 0
    /// The number of bytes read before it.
    private var bytesBefore = 0

    init(
        _ file: RealmFile, _ fit: RealmFileFit, keys: [ClassID: RealmFileKeys], isSalvage: Bool
    ) {
        numbers = file.classIDs.mapValues { fit.classes[$0.rawValue] }
        self.keys = keys
        path = file.path
        self.isSalvage = isSalvage
    }

    /// The class of a table.
    func classID(_ table: RealmFileTableKey) -> ClassID? { numbers[table] }

    /// A value of a column, except links; links in mixed values contain their class.
    mutating func stored(
        _ value: RealmFileValue, depth: Int = 0
    ) throws(RealmFileError) -> StoredValue {
        switch value {
        case .null: return .null
        case .int(let value): return .int(value)
        case .bool(let value): return .bool(value)
        case .float(let bits): return .float(Float(bitPattern: bits))
        case .double(let bits): return .double(Double(bitPattern: bits))
        case .string(let text): return .string(text)
        case .malformedString(let bytes): return .string(repaired(bytes))
        case .data(let bytes): return .data(Data(bytes))
        case .date(let date): return .date(date.sinceReferenceDate)
        case .decimal(let value): return .decimal(value.stored)
        case .objectID(let id): return .objectID(ObjectIDBits(high: id.high, low: id.low))
        case .uuid(let id): return .uuid(id.stored)
        case .link(let link): return try object(link)
        case .collection(let collection): return try nested(collection, depth: depth)
        }
    }

    /// The rows of a class from the file, by the class's number in the store.
    func rows(_ id: ClassID) -> RealmFileKeys? { keys[id] }

    /// The row that a link of a column refers to; nil if it is dangling.
    mutating func target(
        _ key: Int64, in id: ClassID
    ) throws(RealmFileError) -> RowKey? {
        if let row = keys[id]?.row(of: key) { return row }
        try dropLink("a link leads to an object \(key) that does not exist")
        return nil
    }

    /// A link with its class; null if it is dangling. Unlike those of link columns, such links are
    /// no damage: Realm has left them in nested collections, of whose links it lost track.
    private mutating func object(_ link: RealmFileLink) throws(RealmFileError) -> StoredValue {
        guard let id = numbers[link.table] else {
            try dropLink("a link leads to table \(link.table.rawValue), which is not a class")
            return .null
        }
        if let row = keys[id]?.row(of: link.key) { return .object(id, row) }
        changes.droppedLinks += 1
        return .null
    }

    /// Counts a dangling link, in a salvage; otherwise it is an error.
    private mutating func dropLink(_ reason: String) throws(RealmFileError) {
        guard isSalvage else { throw .damaged(path: path, offset: offset, reason: reason) }
        changes.droppedLinks += 1
    }

    /// The closest text for bytes that are not valid UTF-8.
    mutating func repaired(_ bytes: [UInt8]) -> String {
        changes.repairedTexts += 1
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func nested(
        _ collection: RealmFileCollection, depth: Int
    ) throws(RealmFileError) -> StoredValue {
        guard depth < StoredValue.nestingMax else {
            throw .damaged(
                path: path, offset: offset, reason: "collections nest too deeply")
        }
        let id = NestedID(.random(in: .min ... .max))
        if collection.kind == .dictionary {
            var entries: [NestedEntry] = []
            var reader = collection.entries()
            while let (key, value) = try reader.next(), try isWithinFile(collection) {
                entries.append(
                    NestedEntry(key: text(key), value: try stored(value, depth: depth + 1)))
            }
            return .dictionary(id, merged(entries))
        }
        var elements: [StoredValue] = []
        var reader = collection.elements()
        while let run = try reader.next(), try isWithinFile(collection) {
            for index in 0..<run.count {
                guard let value = try run.value(at: index) else { continue }
                elements.append(try stored(value, depth: depth + 1))
            }
        }
        return .list(id, elements)
    }

    /// Begins with the values of an object in `batch`.
    mutating func beginObject(of batch: RealmFileBatch) {
        offset = batch.offset
        bytesBefore = batch.pass.reader.total
    }

    /// Whether no more was read for an object than the size of the file, so that no part is read
    /// repeatedly: nested collections are in memory as a whole, and a leaf of a few bytes may have
    /// a thousand elements.
    private func isWithinFile(_ collection: RealmFileCollection) throws(RealmFileError) -> Bool {
        let reader = collection.source.pass.reader
        if reader.total - bytesBefore <= reader.limit { return true }
        try collection.omit("nested collections share parts more often than in any valid file")
        return false
    }

    /// The entries by ascending keys, each key once, as the log requires. Keys become equal when
    /// invalid UTF-8 is repaired, and in a damaged file.
    private mutating func merged(_ entries: [NestedEntry]) -> [NestedEntry] {
        var kept: [NestedEntry] = []
        kept.reserveCapacity(entries.count)
        for entry in entries.sorted(by: { NestedEntry.precedes($0.key, $1.key) }) {
            if let last = kept.last, !NestedEntry.precedes(last.key, entry.key) {
                changes.mergedElements += 1
            } else {
                kept.append(entry)
            }
        }
        return kept
    }

    /// The key of a dictionary as text.
    mutating func text(_ key: RealmFileValue) -> String {
        switch key {
        case .string(let text): text
        case .malformedString(let bytes): repaired(bytes)
        case .int(let number): String(number)
        default: ""
        }
    }
}

/// What an import has changed in comparison with the file.
package struct RealmFileChanges: Sendable, Hashable {
    /// Texts that were not valid UTF-8: invalid bytes became U+FFFD.
    package var repairedTexts = 0
    /// Elements of sets that became equal: dates that differ by less than the precision of a store.
    /// And entries of dictionaries whose keys became equal.
    package var mergedElements = 0
    /// Links to objects that are missing, or were left out: those in mixed values, and in a salvage
    /// all.
    package var droppedLinks = 0
    /// Embedded objects that were left out: without a parent, or with one that was.
    package var droppedOrphans = 0
    /// Objects with a primary key that another one has, in a salvage.
    package var droppedDuplicates = 0
    /// Objects whose primary key cannot be read, in a salvage.
    package var droppedUnkeyed = 0

    package init() {}
}

extension RealmFileDate {
    /// Seconds since the reference date, rounded to the nearest value.
    var sinceReferenceDate: Double {
        let (whole, overflow) = seconds.subtractingReportingOverflow(978_307_200)
        let base = overflow ? Double(seconds) - 978_307_200 : Double(whole)
        return base + Double(nanoseconds) / 1_000_000_000
    }
}

extension RealmFileDecimal {
    var stored: DecimalBits { DecimalBits(bits: UInt128(high) << 64 | UInt128(low)) }
}

extension RealmFileUUID {
    var stored: UUID {
        let bytes = bytes
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
