/// The expected distribution of the keys of an index, to guess the position of one.
enum KeySpread {
    case even
    /// As the beginnings of texts are: letters of one case, and digits, differ in the lower five
    /// bits of their bytes.
    case text
    /// Clustered, as for values of several columns: keys with a common prefix are close to each
    /// other, and the groups far apart. Interpolation between two keys is useless.
    case grouped

    /// Whether the position of a key can be interpolated between the first and the last key.
    @inline(__always) var isSmooth: Bool { self != .grouped }

    /// An estimate of the position of `key` among `count` keys, at least one, from `first` to
    /// `last`. Always below the count.
    @inline(__always)
    func place(of key: UInt64, from first: UInt64, to last: UInt64, _ count: Int) -> Int {
        let (key, first, last) = (number(key), number(first), number(last))
        if key <= first { return 0 }
        if key >= last { return count &- 1 }
        let share = Double(key &- first) / Double(last &- first)
        return min(Int(share * Double(count)), count &- 1)
    }

    /// A number that grows about evenly from one key to the next.
    @inline(__always)
    private func number(_ key: UInt64) -> UInt64 {
        guard self == .text else { return key }
        // Eight digits of a number in base 26, which are combined in pairs.
        let ones = key & 0x1F1F_1F1F_1F1F_1F1F
        let twos = (ones & 0x001F_001F_001F_001F) &+ (ones &>> 8 & 0x001F_001F_001F_001F) &* 26
        let fours = (twos & 0x0000_FFFF_0000_FFFF) &+ (twos &>> 16 & 0x0000_FFFF_0000_FFFF) &* 676
        return (fours & 0xFFFF_FFFF) &+ fours &>> 32 &* 456_976
    }
}
