import Foundation
import Storage

/// The end of a page of results: the values of its last object in the properties that the results
/// are sorted by.
///
/// Send it to a client, which returns it with the request for the next page. Its text has only
/// letters, digits, `-` and `_`, so that it can be part of a URL:
///
///     let page = try dogs.sorted(by: \.name).page(after: cursor, limit: 50)
///     respond(page.objects, next: page.next.map { "\($0)" })
///
/// It belongs to results of one class in one order, in one realm. It is not encrypted: anyone can
/// read the values in it.
public struct PageCursor: Codable, Hashable, Sendable, LosslessStringConvertible {
    /// The format of the bytes below.
    private static let format: UInt8 = 1

    /// The fingerprint of the order.
    let order: UInt32
    let row: Int64
    /// The values, encoded like values of any type; nil where a link on the path was nil.
    let values: [[UInt8]?]

    init(order: UInt32, row: Int64, values: [[UInt8]?]) {
        (self.order, self.row, self.values) = (order, row, values)
    }

    /// The cursor with this ``description``; nil for any other string.
    public init?(_ description: String) {
        let base64 = description.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding) else { return nil }
        var rest = data[...]
        func number<T: FixedWidthInteger>(_ type: T.Type) -> T? {
            guard rest.count >= T.bitWidth / 8 else { return nil }
            defer { rest = rest.dropFirst(T.bitWidth / 8) }
            return rest.prefix(T.bitWidth / 8).reversed().reduce(0) { $0 << 8 | T($1) }
        }
        guard number(UInt8.self) == Self.format, let order = number(UInt32.self),
            let row = number(UInt64.self)
        else { return nil }
        var values: [[UInt8]?] = []
        while !rest.isEmpty {
            guard let length = number(UInt32.self) else { return nil }
            if length == .max {
                values.append(nil)
                continue
            }
            guard rest.count >= Int(length) else { return nil }
            values.append(Array(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        self.init(order: order, row: Int64(bitPattern: row), values: values)
    }

    /// The cursor as text.
    public var description: String {
        var data = Data([Self.format])
        func append(_ number: some FixedWidthInteger) {
            // Unsafe: borrowed while the bytes are copied.
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        append(order)
        append(row)
        for value in values {
            append(value.map { UInt32($0.count) } ?? .max)
            data.append(contentsOf: value ?? [])
        }
        return data.base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
    }

    /// A cursor from its text.
    ///
    /// - Throws: `DecodingError` for text that is not a cursor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = PageCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is not a page cursor.")
        }
        self = cursor
    }

    /// The text of the cursor.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
