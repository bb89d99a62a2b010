/// The key of a place on the earth: the cell of a grid that contains it, in Z-order.
///
///     bit 62        1; the key of a row without a place is 0
///     bits 61 to 0  the row of the cell from south to north, 31 bits, and its column from west to
///                   east, 31 bits, a bit of each in turn, that of the row first
///
/// The cells of a square of 2^n times 2^n are contiguous, and so are those of each of its quarters.
/// A cell is at most two centimeters wide, so for most places the key determines whether they are
/// in an area.
package enum PlaceKey {
    /// The key of a row without a place.
    package static let none: UInt64 = 0

    /// The key of a latitude and a longitude.
    static func of(_ place: (latitude: Double, longitude: Double)?) -> UInt64 {
        guard let place else { return none }
        let row = number((place.latitude + 90) / 180)
        let column = number((place.longitude + 180) / 360)
        return PlaceCell.whole.first | spread(row) << 1 | spread(column)
    }

    private static func number(_ share: Double) -> UInt64 {
        UInt64(min(share * Double(PlaceCell.width), Double(PlaceCell.width - 1)))
    }

    /// Interleaves the bits of a number with zeros.
    private static func spread(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// Extracts every other bit of a number, from the lowest one on.
    fileprivate static func gathered(_ number: UInt64) -> UInt64 {
        var bits = number & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return (bits | bits >> 16) & 0x0000_0000_FFFF_FFFF
    }
}

/// A square of the grid of places: the earth, a quarter of it, a quarter of that, and so on.
package struct PlaceCell: Sendable, Hashable {
    /// The maximum number of subdivisions of the earth.
    package static let levelMax = 31
    /// The number of smallest cells from pole to pole, and around the earth.
    fileprivate static let width: UInt64 = 1 << 31
    /// More than a place can be outside of its cell by rounding, in degrees.
    private static let slack = 1e-9

    /// The earth.
    package static let whole = PlaceCell(first: 1 << 62, level: 0)

    /// The smallest key in the cell.
    package let first: UInt64
    /// The number of subdivisions of the earth.
    package let level: Int

    private init(first: UInt64, level: Int) {
        self.first = first
        self.level = level
    }

    /// The smallest cell, which is the key of an entry; nil for the entry of a row without a place.
    package init?(key: UInt64) {
        if key == PlaceKey.none { return nil }
        self.init(first: key, level: Self.levelMax)
    }

    private var bits: UInt64 { UInt64(62 - 2 * level) }

    /// The keys of the places in the cell.
    package var keys: ClosedRange<UInt64> { first...(first + (1 << bits - 1)) }

    /// Its quarters in the order of their keys; none for a smallest cell.
    package var quarters: [PlaceCell] {
        if level == Self.levelMax { return [] }
        return (0..<4).map { PlaceCell(first: first | $0 << (bits - 2), level: level + 1) }
    }

    /// Its extent in degrees.
    package var latitudes: ClosedRange<Double> { reach(first >> 1, 180) }

    /// Its extent in degrees.
    package var longitudes: ClosedRange<Double> { reach(first, 360) }

    private func reach(_ digits: UInt64, _ degrees: Double) -> ClosedRange<Double> {
        // Without the leading bit that all keys have.
        let number = PlaceKey.gathered(digits & (1 << 62 - 1)) & (Self.width - 1)
        let unit = degrees / Double(Self.width)
        let start = Double(number) * unit - degrees / 2
        let size = Double(UInt64(1) << UInt64(Self.levelMax - level)) * unit
        return max(
            start - Self.slack, -degrees / 2)...min(
                start + size + Self.slack, degrees / 2)
    }
}
