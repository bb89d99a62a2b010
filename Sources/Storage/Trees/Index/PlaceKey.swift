/// The key of a place on the earth: the cell of a grid that it lies in, in Z-order.
///
///     bit 62        1; the key of a row that says no place is 0
///     bits 61 to 0  the row of the cell from south to north, 31 bits, and its column from west to
///                   east, 31 bits, a bit of each in turn, that of the row first
///
/// All cells of a square of 2^n times 2^n stand next to each other, and so do the cells of each of
/// its quarters. A cell is at most two centimeters wide, so that its key tells of most places
/// whether they lie in an area.
package enum PlaceKey {
    /// The key of what is no place.
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

    /// The bits of a number with a zero before each.
    private static func spread(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// Every other bit of a number, the lowest one first.
    fileprivate static func gathered(_ number: UInt64) -> UInt64 {
        var bits = number & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return (bits | bits >> 16) & 0x0000_0000_FFFF_FFFF
    }
}

/// A square of the grid of places: the earth, a quarter of it, a quarter of that and so on.
package struct PlaceCell: Sendable, Hashable {
    /// How often the earth can be quartered.
    package static let levelMax = 31
    /// The smallest cells from pole to pole, and around the earth.
    fileprivate static let width: UInt64 = 1 << 31
    /// What a place may lie beside its cell by rounding, and more, in degrees.
    private static let slack = 1e-9

    /// The earth.
    package static let whole = PlaceCell(first: 1 << 62, level: 0)

    /// The least key of a place in it.
    package let first: UInt64
    /// How often the earth was quartered.
    package let level: Int

    private init(first: UInt64, level: Int) {
        self.first = first
        self.level = level
    }

    /// The smallest cell, which an entry names; nil for an entry of a row that says no place.
    package init?(key: UInt64) {
        if key == PlaceKey.none { return nil }
        self.init(first: key, level: Self.levelMax)
    }

    private var bits: UInt64 { UInt64(62 - 2 * level) }

    /// The keys of the places in it.
    package var keys: ClosedRange<UInt64> { first...(first + (1 << bits - 1)) }

    /// Its quarters in the order of their keys; there are none of the smallest cells.
    package var quarters: [PlaceCell] {
        if level == Self.levelMax { return [] }
        return (0..<4).map { PlaceCell(first: first | $0 << (bits - 2), level: level + 1) }
    }

    /// From where to where it reaches, in degrees.
    package var latitudes: ClosedRange<Double> { reach(first >> 1, 180) }

    /// From where to where it reaches, in degrees.
    package var longitudes: ClosedRange<Double> { reach(first, 360) }

    private func reach(_ digits: UInt64, _ degrees: Double) -> ClosedRange<Double> {
        // Without the bit that stands before all of them.
        let number = PlaceKey.gathered(digits & (1 << 62 - 1)) & (Self.width - 1)
        let unit = degrees / Double(Self.width)
        let start = Double(number) * unit - degrees / 2
        let size = Double(UInt64(1) << UInt64(Self.levelMax - level)) * unit
        return max(
            start - Self.slack, -degrees / 2)...min(
                start + size + Self.slack, degrees / 2)
    }
}
