/// The declared range of integers of a column. All integers are stored alike, so this is the only
/// difference between columns of small and large ones.
package enum IntegerRange: UInt8, Sendable, CaseIterable {
    /// Unknown: not a column of integers, or one from before schemas recorded the range.
    case unstated = 0
    case int8
    case int16
    case int32
    case int64
    case uint8
    case uint16
    case uint32

    /// The range of an integer type; unstated for a type that columns do not support.
    package init<Integer: FixedWidthInteger>(_ type: Integer.Type) {
        self =
            Self.allCases.first {
                $0 != .unstated && Int64(exactly: Integer.min) == $0.bounds.lowerBound
                    && Int64(exactly: Integer.max) == $0.bounds.upperBound
            } ?? .unstated
    }

    /// The minimum and the maximum.
    package var bounds: ClosedRange<Int64> {
        switch self {
        case .int8: Int64(Int8.min)...Int64(Int8.max)
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .unstated, .int64: .min ... .max
        case .uint8: 0...Int64(UInt8.max)
        case .uint16: 0...Int64(UInt16.max)
        case .uint32: 0...Int64(UInt32.max)
        }
    }

    /// The name of the type with this range.
    package var typeName: String {
        switch self {
        case .unstated, .int64: "Int"
        case .int8: "Int8"
        case .int16: "Int16"
        case .int32: "Int32"
        case .uint8: "UInt8"
        case .uint16: "UInt16"
        case .uint32: "UInt32"
        }
    }

    /// A readable description of the integers that a property can have.
    package var described: String {
        "an \(typeName), from \(bounds.lowerBound) to \(bounds.upperBound)"
    }

    /// Whether it contains the range of `other`, as far as known.
    package func holds(_ other: IntegerRange) -> Bool {
        if self == .unstated || other == .unstated { return true }
        return bounds.contains(other.bounds.lowerBound) && bounds.contains(other.bounds.upperBound)
    }
}
