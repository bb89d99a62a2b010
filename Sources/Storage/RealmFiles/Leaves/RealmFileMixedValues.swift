/// Mixed values, each a number with its type and the location of the rest.
package final class RealmFileMixedValues: Sendable {
    /// The numbers.
    private let composites: RealmNode
    private let integers: RealmNode?
    private let pairs: RealmNode?
    private let strings: RealmFileTexts?
    private let refs: RealmNode?
    private let source: RealmFileSource
    /// The nesting depth of these values in collections.
    private let depth: Int

    /// Codes of types that only occur here.
    private enum Code {
        static let typedLink = 16
        static let list = 19
        static let dictionary = 21
    }

    package var count: Int { composites.count }

    var heldBytes: Int {
        [composites, integers, pairs, refs].reduce(strings?.heldBytes ?? 0) {
            $0 + ($1?.payload.count ?? 0)
        }
    }

    init(
        _ parts: RealmNode, depth: Int, _ source: RealmFileSource
    ) throws(RealmFileError) {
        let reader = source.pass.reader
        self.source = source
        self.depth = depth
        composites = try reader.integers(
            try reader.ref(parts, 0, "mixed values"), "mixed values")
        integers = try Self.part(parts, 1, reader)
        pairs = try Self.part(parts, 2, reader)
        if case .ref(let ref) = parts.element(at: 3) {
            let type = RealmValueType(kind: .string, isNullable: true, target: nil)
            let decoder = RealmLeafDecoder(
                type: type, place: .collection, source: source, depth: depth)
            let header = try reader.header(ref, "the strings of mixed values")
            strings = try decoder.texts(ref, header, ofStrings: true)
        } else {
            strings = nil
        }
        if case .ref(let ref) = parts.element(at: 4) {
            refs = try reader.refs(ref, "the collections of mixed values")
        } else {
            refs = nil
        }
    }

    private static func part(
        _ parts: RealmNode, _ index: Int, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> RealmNode? {
        guard case .ref(let ref) = parts.element(at: index) else { return nil }
        return try reader.integers(ref, "numbers of mixed values")
    }

    /// The value at an index below the count.
    package func value(at index: Int) throws(RealmFileError) -> RealmFileValue {
        let composite = composites.integer(at: index)
        if composite == 0 { return .null }
        let type = Int(composite & 31) - 1
        let place = composite >> 8
        switch type {
        case Code.typedLink: return try link(place)
        case Code.list: return .collection(try collection(.list, place))
        case Code.dictionary: return .collection(try collection(.dictionary, place))
        default:
            guard let kind = RealmFileProperty.Kind(rawValue: type), kind != .mixed, kind != .link
            else { throw damaged("a mixed value has the unknown type \(type)") }
            return try value(kind, place, isHere: composite >> 5 & 7 == 0)
        }
    }

    private func value(
        _ kind: RealmFileProperty.Kind, _ place: Int64, isHere: Bool
    ) throws(RealmFileError) -> RealmFileValue {
        switch kind {
        case .int: return .int(isHere ? place : try integer(place))
        case .bool: return .bool(place != 0)
        case .float: return .float(bits: UInt32(truncatingIfNeeded: try integer(place)))
        case .double: return .double(bits: UInt64(bitPattern: try integer(place)))
        case .date:
            let (seconds, nanoseconds) = try pair(place)
            guard let date = RealmFileDate(seconds, nanoseconds) else {
                throw damaged("the nanoseconds of a mixed date")
            }
            return .date(date)
        case .decimal:
            let (low, high) = try pair(place)
            return .decimal(
                RealmFileDecimal(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)))
        case .string:
            let bytes = try bytes(place)
            return String(validating: bytes, as: UTF8.self).map { .string($0) }
                ?? .malformedString(Array(bytes))
        case .data: return .data(Array(try bytes(place)))
        case .objectID:
            guard let id = RealmFileObjectID(try bytes(place)) else {
                throw damaged("a mixed ObjectId does not have 12 bytes")
            }
            return .objectID(id)
        case .uuid:
            guard let uuid = RealmFileUUID(try bytes(place)) else {
                throw damaged("a mixed UUID does not have 16 bytes")
            }
            return .uuid(uuid)
        case .mixed, .link: throw damaged("a mixed value is itself mixed")
        }
    }

    private func link(_ place: Int64) throws(RealmFileError) -> RealmFileValue {
        let (table, key) = try pair(place)
        // The object does not exist yet.
        if key < 0 { return .null }
        let target = RealmFileTableKey(rawValue: UInt64(bitPattern: table))
        guard source.pass.tables.contains(target) else {
            throw damaged("a mixed link leads to table \(table), which does not exist")
        }
        return .link(RealmFileLink(table: target, key: key))
    }

    private func collection(
        _ kind: RealmFileProperty.Collection, _ place: Int64
    ) throws(RealmFileError) -> RealmFileCollection {
        guard depth < RealmTreeDepth.collectionsMax else {
            throw damaged("collections of mixed values nest too deeply")
        }
        guard let refs, place >= 0, place < refs.count else {
            throw damaged("a mixed collection is nowhere")
        }
        let root: UInt64?
        switch refs.element(at: Int(place)) {
        case .none: root = nil
        case .ref(let ref): root = ref
        case .tagged: throw damaged("a mixed collection is nowhere")
        }
        return RealmFileCollection(
            kind: kind, element: RealmValueType(kind: .mixed, isNullable: true, target: nil),
            hasIntegerKeys: false, root: root, depth: depth + 1, source: source)
    }

    private func integer(_ place: Int64) throws(RealmFileError) -> Int64 {
        guard let integers, place >= 0, place < integers.count else {
            throw damaged("the number of a mixed value is missing")
        }
        return integers.integer(at: Int(place))
    }

    private func pair(_ place: Int64) throws(RealmFileError) -> (Int64, Int64) {
        guard let pairs, place >= 0, place < pairs.count / 2 else {
            throw damaged("the numbers of a mixed value are missing")
        }
        return (pairs.integer(at: Int(place) * 2), pairs.integer(at: Int(place) * 2 + 1))
    }

    private func bytes(_ place: Int64) throws(RealmFileError) -> ArraySlice<UInt8> {
        guard let strings, place >= 0, place < strings.count else {
            throw damaged("the string of a mixed value is missing")
        }
        // Null is encoded as a mixed value without a type, so this is an empty one.
        return try strings.bytes(at: Int(place)) ?? []
    }

    private func damaged(_ reason: String) -> RealmFileError {
        source.pass.reader.damaged(composites.offset, reason)
    }
}

extension RealmLeafDecoder {
    func mixed(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> RealmFileMixedValues {
        try RealmFileMixedValues(
            try parts(ref, header, count: 4, "mixed values"), depth: depth, source)
    }
}
