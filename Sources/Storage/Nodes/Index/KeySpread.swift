/// How the keys of an index are likely to be spread: for a guess of where one of them stands.
enum KeySpread {
    case even
    /// As the beginnings of texts are: letters of one case, and digits, differ in the lower five
    /// bits of their bytes.
    case text
    /// In groups, as the values of several columns are: what begins alike stands close together,
    /// and the groups far apart. A guess between two keys says nothing there.
    case grouped

    /// Whether the first and the last of some keys show about where another one stands.
    @inline(__always) var isSmooth: Bool { self != .grouped }

    /// About where `key` stands among `count` keys, which are more than none, from `first` on and
    /// up to `last`. Always below the count.
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
        // Eight digits of a number to the base of 26, which are put together two by two.
        let ones = key & 0x1F1F_1F1F_1F1F_1F1F
        let twos = (ones & 0x001F_001F_001F_001F) &+ (ones &>> 8 & 0x001F_001F_001F_001F) &* 26
        let fours = (twos & 0x0000_FFFF_0000_FFFF) &+ (twos &>> 16 & 0x0000_FFFF_0000_FFFF) &* 676
        return (fours & 0xFFFF_FFFF) &+ fours &>> 32 &* 456_976
    }
}
