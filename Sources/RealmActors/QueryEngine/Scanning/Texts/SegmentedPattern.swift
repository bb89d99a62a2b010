/// A pattern as the characters between its stars, and texts as the numbers of their characters: for
/// texts that repeat themselves so much that going back to the last star would take a time that
/// grows with the square of their length.
///
/// Each of the segments is looked for behind the one before it: in a time that grows with the
/// length of the text alone, or, where the segment has question marks, with that times the 64th of
/// the segment's length.
struct SegmentedPattern {
    /// A character's number: 0 is any that the pattern does not have.
    private typealias Number = Int32
    private static let any: Number = -1

    private let pattern: WildcardPattern
    private var numbers: [[UInt8]: Number] = [:]
    /// At least one; empty ones at the ends say that the text may begin or end in any way.
    private var segments: [[Number]] = [[]]

    init(_ pattern: WildcardPattern) {
        self.pattern = pattern
        var bytes: [UInt8] = []
        for element in pattern.elements {
            switch element {
            case .byte(let byte): bytes.append(byte)
            case .one, .many:
                append(&bytes)
                if element == .one {
                    segments[segments.count - 1].append(Self.any)
                } else {
                    segments.append([])
                }
            }
        }
        append(&bytes)
    }

    /// Appends the characters that bytes are to the last segment.
    private mutating func append(_ bytes: inout [UInt8]) {
        // Unsafe: lent while the characters are copied.
        let characters = bytes.withUnsafeBytes { bytes in
            var characters: [[UInt8]] = []
            forEachCharacter(bytes, from: 0) { characters.append($0) }
            return characters
        }
        for character in characters {
            let number = numbers[character] ?? Number(numbers.count + 1)
            numbers[character] = number
            segments[segments.count - 1].append(number)
        }
        bytes = []
    }

    private func forEachCharacter(
        _ text: UnsafeRawBufferPointer, from start: Int, _ body: ([UInt8]) -> Void
    ) {
        var position = start
        while position < text.count {
            let next = pattern.next(text, position)
            body(Array(text[position..<next]))
            position = next
        }
    }

    func matches(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var characters: [Number] = []
        forEachCharacter(text, from: start) { characters.append(numbers[$0] ?? 0) }
        let first = segments[0]
        guard characters.count >= first.count, fits(first, characters[...]) else { return false }
        if segments.count == 1 { return characters.count == first.count }
        let last = segments[segments.count - 1]
        guard characters.count >= first.count + last.count,
            fits(last, characters.suffix(last.count))
        else { return false }
        var rest = characters[first.count..<(characters.count - last.count)]
        for segment in segments.dropFirst().dropLast() where !segment.isEmpty {
            guard let end = Self.end(of: segment, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// Whether a segment stands at the beginning of characters.
    private func fits(_ segment: [Number], _ characters: ArraySlice<Number>) -> Bool {
        zip(segment, characters).allSatisfy { $0 == Self.any || $0 == $1 }
    }

    /// The position behind the first occurrence of a segment.
    private static func end(of segment: [Number], in text: ArraySlice<Number>) -> Int? {
        if !segment.contains(any) {
            var search = BorderSearch(segment)
            for (offset, character) in text.enumerated() where search.finds(character) {
                return text.startIndex + offset + 1
            }
            return nil
        }
        return endOfMatch(of: segment, in: text)
    }

    /// The same with question marks: a bit for each beginning of the segment says whether the text
    /// up to here ends with it.
    private static func endOfMatch(of segment: [Number], in text: ArraySlice<Number>) -> Int? {
        let words = (segment.count + 63) / 64
        let places = Set(segment).subtracting([any]).sorted()
        var rows: [Number: Int] = [:]
        for (row, number) in places.enumerated() { rows[number] = row }
        // The beginnings that a character may be the last of; the last row is of all others.
        var allowed = [UInt64](repeating: 0, count: words * (places.count + 1))
        for (index, number) in segment.enumerated() {
            let bit: UInt64 = 1 << UInt64(index & 63)
            let found = number == any ? Array(0...places.count) : [rows[number] ?? places.count]
            for row in found { allowed[row * words + index >> 6] |= bit }
        }
        var ends = [UInt64](repeating: 0, count: words)
        let final: UInt64 = 1 << UInt64((segment.count - 1) & 63)
        for (offset, character) in text.enumerated() {
            let row = (rows[character] ?? places.count) * words
            var carry: UInt64 = 1
            for word in 0..<words {
                let shifted = ends[word] << 1 | carry
                carry = ends[word] >> 63
                ends[word] = shifted & allowed[row + word]
            }
            if ends[words - 1] & final != 0 { return text.startIndex + offset + 1 }
        }
        return nil
    }
}

/// Looks for a sequence in another by the borders of its beginnings: every element is looked at a
/// bounded number of times, however much both repeat themselves.
struct BorderSearch<Element: Equatable> {
    private let sought: [Element]
    /// Of each beginning, how long the longest shorter one is that it ends with.
    private let borders: [Int]
    private var length = 0

    /// - Parameter sought: not empty.
    init(_ sought: [Element]) {
        self.sought = sought
        var borders = [0]
        borders.reserveCapacity(sought.count)
        var length = 0
        for element in sought.dropFirst() {
            while length > 0, sought[length] != element { length = borders[length - 1] }
            if sought[length] == element { length += 1 }
            borders.append(length)
        }
        self.borders = borders
    }

    /// Takes the next element; true where what is sought ends with it.
    mutating func finds(_ element: Element) -> Bool {
        if length == sought.count { length = borders[length - 1] }
        while length > 0, sought[length] != element { length = borders[length - 1] }
        if sought[length] == element { length += 1 }
        return length == sought.count
    }
}
