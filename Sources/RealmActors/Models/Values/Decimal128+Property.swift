import Foundation
import Storage

extension Decimal128: PersistableScalar {
    /// A column of decimal numbers.
    public static var _scalarShape: PropertyShape {
        PropertyShape(kind: .decimal, name: "Decimal128")
    }

    /// Zero.
    public static func _zero() -> Decimal128 { Decimal128() }

    /// Reads the column.
    public static func _load(_ object: ObjectBase, _ column: Int) -> Decimal128? {
        Decimal128(bits: object.__cluster.decimal(column, object.__slot))
    }

    /// The value as the engine stores it.
    public var _scalar: StorableValue { StorableValue(.decimal(bits)) }

    /// The value from the form of the engine.
    public static func _from(_ stored: StorableValue) -> Decimal128? {
        if case .decimal(let value) = stored.value { Decimal128(bits: value) } else { nil }
    }

    /// Any number, or the text of one.
    public static func _converted(_ any: Any) -> Decimal128? {
        switch GivenNumber(any) {
        case .integer(let value): return Decimal128(value)
        case .real(let value): return Decimal128(value)
        case .boolean: return nil
        case nil: break
        }
        return (any as? any CustomStringConvertible).flatMap { value in
            value is String || value is Substring || value is Decimal
                ? Decimal128(value.description) : nil
        }
    }

    /// Writes the value into a row.
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setDecimal(column, bits) }
}
