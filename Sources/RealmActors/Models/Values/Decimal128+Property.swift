import Foundation
import Storage

extension Decimal128 {
    /// The number of a value of another type: a number of any type, or its string.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` for everything else.
    public init(value: Any) throws(RealmError) {
        guard let number = Decimal128._given(value) else {
            throw .invalidValue(
                "A Decimal128 is made of a number or the text of one, and was given "
                    + "\(type(of: value)): \(ObjectDescription.brief(value))")
        }
        self = number
    }
}

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

    /// Any number, or the string of one.
    public static func _converted(_ any: Any) -> Decimal128? {
        guard let given = unwrapped(any) else { return nil }
        let number = GivenNumber(given)
        if case .boolean? = number { return nil }
        // Each type separately, because a double lacks digits of the others. An `NSNumber` would
        // cast to every number type.
        if type(of: given) is NSNumber.Type {
            return (given as? NSNumber).map { Decimal128(number: $0) }
        }
        if let value = given as? Float { return Decimal128(value) }
        if let value = given as? any BinaryInteger { return Decimal128(value) }
        if case .real(let value)? = number { return Decimal128(value) }
        return (given as? any CustomStringConvertible).flatMap { value in
            value is String || value is Substring || value is Decimal
                ? Decimal128(value.description) : nil
        }
    }

    /// Writes the value into a row.
    public func _write(_ row: RowTarget, _ column: Int) { row.writer.setDecimal(column, bits) }
}
