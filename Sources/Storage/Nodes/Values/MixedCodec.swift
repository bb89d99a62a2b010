import Foundation

/// The encoding of a value of any kind: one byte for the kind, then the value.
///
///     tag  value
///       0  null
///       1  bool: 1 byte
///       2  int: 8 bytes
///       3  float: 4 bytes
///       4  double: 8 bytes
///       5  string: UTF-8
///       6  data
///       7  date: 8 bytes, seconds since the reference date
///       8  UUID: 16 bytes
///       9  link: 8 bytes, row key
///      10  object: 4 bytes class, 8 bytes row key
///      11  object identifier: 12 bytes
///      12  decimal: 16 bytes
///      13  list: 8 bytes identity, then for each element 4 bytes length and a value like this
///      14  dictionary: 8 bytes identity, then for each entry 4 bytes length and the key, UTF-8,
///          and 4 bytes length and a value like this; keys ascend by their bytes
///
/// Empty bytes are null, too, so that an empty column reads as null.
enum MixedCodec {
    static func encode(_ value: StoredValue) -> [UInt8] {
        guard let kind = value.kind else { return [0] }
        if kind == .mixed { return encode(contents: value) }
        var bytes = [kind.rawValue]
        switch kind.layout {
        case .bit: bytes.append(value.integer == 1 ? 1 : 0)
        case .integer:
            // Unsafe: lent while the bytes are copied.
            withUnsafeBytes(of: (value.integer ?? 0).littleEndian) { bytes += $0 }
        case .fixed: _ = value.withFixedBytes { bytes += $0 }
        case .bytes: _ = value.withBytes(in: kind) { bytes += $0 }
        }
        return bytes
    }

    /// The bytes of a value that only occurs as a mixed one: an object or a collection.
    private static func encode(contents value: StoredValue) -> [UInt8] {
        var bytes: [UInt8] = []
        if case .object(let id, let key) = value {
            append(10, UInt32(id.rawValue), to: &bytes)
            // Unsafe: lent while the bytes are copied.
            withUnsafeBytes(of: key.rawValue.littleEndian) { bytes += $0 }
        }
        if let (id, elements) = value.collection {
            switch elements {
            case .list(let values):
                append(13, id.rawValue, to: &bytes)
                for value in values { appendSized(encode(value), to: &bytes) }
            case .dictionary(let entries):
                append(14, id.rawValue, to: &bytes)
                for entry in entries {
                    appendSized(Array(entry.key.utf8), to: &bytes)
                    appendSized(encode(entry.value), to: &bytes)
                }
            }
        }
        return bytes
    }

    /// A part of 4 GiB makes the whole larger than the limit of a value, so it is refused later.
    private static func appendSized(_ part: [UInt8], to bytes: inout [UInt8]) {
        // Unsafe: lent while the bytes are copied.
        withUnsafeBytes(of: UInt32(clamping: part.count).littleEndian) { bytes += $0 }
        bytes += part
    }

    private static func append<T: FixedWidthInteger>(
        _ tag: UInt8, _ value: T, to bytes: inout [UInt8]
    ) {
        bytes.append(tag)
        // Unsafe: lent while the bytes are copied.
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// Decodes a value; null for invalid bytes, such as collections that are nested too deeply.
    static func decode(_ bytes: UnsafeRawBufferPointer, depth: Int = 0) -> StoredValue {
        guard let tag = bytes.first else { return .null }
        // Unsafe: each load below is of as many bytes as its case says there are.
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        if let kind = kind(tag) {
            guard hasSize(rest, kind) else { return .null }
            switch kind.layout {
            case .bit: return .bool(rest[0] != 0)
            case .integer:
                return StoredValue(kind, integer: rest.loadUnaligned(as: Int64.self))
            case .fixed: return StoredValue(kind, fixed: rest)
            case .bytes: return StoredValue(kind, bytes: rest)
            }
        }
        switch (tag, rest.count) {
        case (10, 12):
            return .object(
                ClassID(Int(rest.loadUnaligned(as: UInt32.self))),
                RowKey(rest.loadUnaligned(fromByteOffset: 4, as: Int64.self)))
        case (13, 8...) where depth < StoredValue.nestingMax:
            var parts = NestedParts(rest)
            var values: [StoredValue] = []
            while let value = parts.next() { values.append(decode(value, depth: depth + 1)) }
            return .list(parts.id, values)
        case (14, 8...) where depth < StoredValue.nestingMax:
            var parts = NestedParts(rest)
            var entries: [NestedEntry] = []
            while let key = parts.next(), let value = parts.next() {
                entries.append(
                    NestedEntry(
                        key: String(decoding: key, as: UTF8.self),
                        value: decode(value, depth: depth + 1)))
            }
            return .dictionary(parts.id, entries)
        default: return .null
        }
    }

    /// Whether `bytes` can contain an object, directly or in a collection.
    static func mayHoldObjects(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first.map { [10, 13, 14].contains($0) } ?? false
    }

    /// Whether `bytes` are the encoding of a value.
    static func isSound(_ bytes: UnsafeRawBufferPointer, depth: Int = 0) -> Bool {
        guard let tag = bytes.first else { return true }
        // Unsafe: within the buffer that was given.
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        if let kind = kind(tag) {
            return hasSize(rest, kind) && (kind != .string || rest.isUTF8)
        }
        switch tag {
        case 0: return rest.isEmpty
        case 10: return rest.count == 12
        case 13, 14: return isSoundCollection(rest, hasKeys: tag == 14, depth)
        default: return false
        }
    }

    /// The kind of a value with this tag; nil for null, objects and collections.
    private static func kind(_ tag: UInt8) -> ValueKind? {
        ValueKind(rawValue: tag).flatMap { $0 == .mixed ? nil : $0 }
    }

    /// Whether the number of bytes is valid for the kind.
    private static func hasSize(_ bytes: UnsafeRawBufferPointer, _ kind: ValueKind) -> Bool {
        switch kind.layout {
        case .bit: bytes.count == 1
        case .integer: bytes.count == 8
        case .fixed(let width): bytes.count == width
        case .bytes: true
        }
    }

    private static func isSoundCollection(
        _ bytes: UnsafeRawBufferPointer, hasKeys: Bool, _ depth: Int
    ) -> Bool {
        guard bytes.count >= 8, depth < StoredValue.nestingMax else { return false }
        var parts = NestedParts(bytes)
        // Unsafe: a part of the buffer that was given.
        var last: UnsafeRawBufferPointer?
        while let part = parts.next() {
            var value = part
            if hasKeys {
                guard part.isUTF8, let next = parts.next() else { return false }
                if let last, !last.lexicographicallyPrecedes(part) { return false }
                last = part
                value = next
            }
            guard isSound(value, depth: depth + 1) else { return false }
        }
        return parts.isAtEnd
    }
}

/// The parts of a collection within a mixed value, in order. Valid as long as the bytes.
private struct NestedParts {
    let id: NestedID
    // Unsafe: borrowed from the caller, and read within its bounds.
    private var rest: UnsafeRawBufferPointer

    /// `bytes` are at least eight.
    init(_ bytes: UnsafeRawBufferPointer) {
        id = NestedID(bytes.loadUnaligned(as: UInt64.self))
        // Unsafe: within the buffer that was given.
        rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(8))
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next part; nil at the end, or if the bytes are malformed.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard rest.count >= 4 else { return nil }
        let length = Int(rest.loadUnaligned(as: UInt32.self))
        guard length <= rest.count - 4 else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(4 + length)) }
        // Unsafe: within the buffer that was given.
        return UnsafeRawBufferPointer(rebasing: rest.dropFirst(4).prefix(length))
    }
}

// Unsafe: the lender of the buffer keeps it through the call.
extension UnsafeRawBufferPointer {
    /// Whether the bytes are valid UTF-8.
    var isUTF8: Bool {
        // A fast path for ASCII, of which most texts consist.
        allSatisfy { $0 < 128 } || String(validating: self, as: UTF8.self) != nil
    }
}

extension StoredValue {
    /// The encoded value, with its kind.
    package var mixedBytes: [UInt8] { MixedCodec.encode(self) }

    /// Decodes such bytes, which need not be trusted; nil if they are malformed.
    package init?(mixedBytes: [UInt8]) {
        // Unsafe: lent for the calls, which read within the buffer.
        let value = mixedBytes.withUnsafeBytes {
            MixedCodec.isSound($0) ? MixedCodec.decode($0) : nil
        }
        guard let value else { return nil }
        self = value
    }
}
