public import Foundation
public import Storage

extension Data: PersistableScalar {
    /// A column of bytes.
    public static var _scalarShape: PropertyShape { PropertyShape(kind: .data, name: "Data") }

    /// No bytes.
    public static func _zero() -> Data { Data() }

    /// Reads the column.
    @inlinable
    public static func _load(_ object: ObjectBase, _ column: Int) -> Data? {
        object.__cluster.data(column, object.__slot)
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.data(self)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Data? {
        if case .data(let value) = stored.value { value } else { nil }
    }

    /// Bytes, or Base64 as JSON carries them.
    public static func _converted(_ any: Any) -> Data? {
        switch any {
        case let bytes as [UInt8]: Data(bytes)
        case let text as String: Data(base64Encoded: text)
        default: nil
        }
    }

    /// Writes the value into a row.
    @inlinable
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setData(column, self) }
}
