public import Foundation
package import Storage
import Synchronization

/// An identifier of twelve bytes that is unique without coordination, and orders by its time of
/// creation.
///
///     @Persisted(primaryKey: true) var id: ObjectId
///
/// Four bytes of seconds since the Unix epoch, five that are random once per process, and three of
/// a counter, each with its most significant byte first. Its string form is the 24 hexadecimal
/// digits.
public struct ObjectId: Hashable, Sendable {
    package let bits: ObjectIDBits

    package init(bits: ObjectIDBits) { self.bits = bits }

    /// All zeros; ``generate()`` gives a new one.
    public init() { bits = .zero }

    /// A new identifier.
    public static func generate() -> ObjectId { make(at: Date()) }

    /// An identifier with the given time, and three and two bytes of the numbers of the machine and
    /// the process. The time is kept in whole seconds and clamped to the years 1970 to 2106; NaN is
    /// 1970.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let process = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
        let unit = process << 16 | UInt64(truncatingIfNeeded: processId) & 0xFFFF
        self = Self.make(at: timestamp, unit)
    }

    /// An identifier of the 24 hexadecimal digits of `string`, in any case.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` for every other string.
    public init(string: String) throws(RealmError) {
        guard let value = ObjectId(string) else {
            throw .invalidValue(
                "'\(string.prefix(80))' is not an ObjectId. Give 24 hexadecimal digits.")
        }
        self = value
    }

    /// An identifier from a literal of its 24 hexadecimal digits, in any case. Any other literal
    /// traps; where an optional is expected, it is nil.
    public init(_ digits: StaticString) {
        guard let value = ObjectId(digits.description) else {
            preconditionFailure("'\(digits)' is not an ObjectId. Write 24 hexadecimal digits.")
        }
        self = value
    }

    /// When the identifier was made, in whole seconds.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(bits.high >> 32)) }

    /// The 24 hexadecimal digits.
    public var stringValue: String { description }

    private static let unit = UInt64.random(in: 0..<1 << 40)
    private static let counter = Atomic<UInt32>(.random(in: 0..<1 << 24))

    private static func make(at date: Date, _ unit: UInt64 = unit) -> ObjectId {
        // NaN, for which the comparison is false, is the Unix epoch, as in properties.
        let time = date.timeIntervalSince1970
        let seconds = time > 0 ? UInt32(min(time, Double(UInt32.max))) : 0
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
        let high = UInt64(seconds) << 32 | unit >> 8
        return ObjectId(
            bits: ObjectIDBits(high: high, low: UInt32(unit & 0xFF) << 24 | count))
    }
}

extension ObjectId: Comparable {
    /// Compares the bytes, and so the times of creation.
    public static func < (a: ObjectId, b: ObjectId) -> Bool { a.bits < b.bits }
}

extension ObjectId: LosslessStringConvertible {
    /// An identifier of 24 hexadecimal digits, in any case; nil for every other string.
    public init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 24 else { return nil }
        var nibbles: [UInt8] = []
        for digit in digits {
            switch digit {
            case 48...57: nibbles.append(digit - 48)
            case 65...70: nibbles.append(digit - 55)
            case 97...102: nibbles.append(digit - 87)
            default: return nil
            }
        }
        bits = ObjectIDBits(
            high: nibbles[..<16].reduce(0) { $0 << 4 | UInt64($1) },
            low: nibbles[16...].reduce(0) { $0 << 4 | UInt32($1) })
    }

    /// The 24 hexadecimal digits.
    public var description: String { bits.description }
}

extension ObjectId: Codable {
    /// Decodes the 24 hexadecimal digits.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = ObjectId(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not an ObjectId of 24 digits.")
        }
        self = value
    }

    /// Encodes the 24 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
