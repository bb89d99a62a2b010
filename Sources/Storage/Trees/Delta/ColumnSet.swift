/// A set of columns of one class.
package struct ColumnSet: Sendable, Hashable {
    private var words: [UInt64] = []
    private var first: UInt64 = 0

    package init() {}

    package init(_ columns: some Sequence<ColumnID>) {
        for column in columns { insert(column) }
    }

    package var isEmpty: Bool { first == 0 && words.allSatisfy { $0 == 0 } }

    package mutating func insert(_ column: ColumnID) {
        let (word, bit) = column.rawValue.quotientAndRemainder(dividingBy: 64)
        if word == 0 {
            first |= 1 << UInt64(bit)
            return
        }
        while words.count < word { words.append(0) }
        words[word - 1] |= 1 << UInt64(bit)
    }

    package func contains(_ column: ColumnID) -> Bool {
        let (word, bit) = column.rawValue.quotientAndRemainder(dividingBy: 64)
        let bits = word == 0 ? first : (word <= words.count ? words[word - 1] : 0)
        return (bits >> UInt64(bit)) & 1 != 0
    }

    package mutating func formUnion(_ other: ColumnSet) {
        first |= other.first
        while words.count < other.words.count { words.append(0) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }

    package func union(_ other: ColumnSet) -> ColumnSet {
        var union = self
        union.formUnion(other)
        return union
    }

    package func isDisjoint(with other: ColumnSet) -> Bool {
        first & other.first == 0 && zip(words, other.words).allSatisfy { $0 & $1 == 0 }
    }

    /// The columns, ascending.
    package var columns: [ColumnID] {
        var columns: [ColumnID] = []
        for (index, word) in ([first] + words).enumerated() {
            var rest = word
            while rest != 0 {
                columns.append(ColumnID(index * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return columns
    }
}
