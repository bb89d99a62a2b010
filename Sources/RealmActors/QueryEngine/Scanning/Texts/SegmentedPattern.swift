/// A pattern as the segments between its stars, and texts as numbered characters: for repetitive
/// texts, on which backtracking to the last star would take quadratic time.
///
/// Each of the segments is searched for after the one before it, in time linear in the length of
/// the text, or, where the segment has question marks, times the 64th of the segment's length.
struct SegmentedPattern {
    /// A character's number: 0 is any that the pattern does not have.
    private typealias Number = Int32
    private static let any: Number = -1

    private let pattern: WildcardPattern
    private var numbers: [[UInt8]: Number] = [:]
    /// At least one; an empty one at an end means that the text may begin or end in any way.
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
        // Unsafe: borrowed while the characters are copied.
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

    /// Whether a segment is at the beginning of characters.
    private func fits(_ segment: [Number], _ characters: ArraySlice<Number>) -> Bool {
        zip(segment, characters).allSatisfy { $0 == Self.any || $0 == $1 }
    }

    /// The position after the first occurrence of a segment.
    private static func end(of segment: [Number], in text: ArraySlice<Number>) -> Int? {
        if !segment.contains(any) {
            var search = BorderSearch(segment)
            for (offset, character) in text.enumerated() where search.finds(character) {
                return text.startIndex + offset + 1
            }
            return nil
        }
        var search = MaskSearch(segment, wildcard: any)
        for (offset, character) in text.enumerated()
        where search.finds(CollectionOfOne(character)) {
            return text.startIndex + offset + 1
        }
        return nil
    }
}

/// Searches for a sequence that may have wildcards, or in one that may have several elements at a
/// place: for each prefix of the sought sequence, a bit says whether the elements that were taken
/// end with it.
struct MaskSearch<Element: Hashable> {
    /// The prefixes that any element may be the last of.
    private var anywhere: [UInt64]
    /// Those that each of the others may be the last of: the words in which it has some, ascending.
    private var places: [Element: [(word: Int, bits: UInt64)]] = [:]
    private var ends: [UInt64]
    private var allowed: [UInt64]
    /// The bit of the whole sequence, in the last word.
    private let whole: UInt64

    /// - Parameters:
    ///   - sought: not empty.
    ///   - wildcard: what matches any element.
    init(_ sought: [Element], wildcard: Element? = nil) {
        let words = (sought.count + 63) / 64
        anywhere = Array(repeating: 0, count: words)
        (ends, allowed) = (anywhere, anywhere)
        whole = 1 << UInt64((sought.count - 1) & 63)
        for (index, element) in sought.enumerated() {
            let (word, bit) = (index >> 6, UInt64(1) << UInt64(index & 63))
            if element == wildcard {
                anywhere[word] |= bit
            } else if let last = places[element]?.indices.last, places[element]?[last].word == word
            {
                places[element]?[last].bits |= bit
            } else {
                places[element, default: []].append((word, bit))
            }
        }
    }

    /// Forgets what was taken.
    mutating func restart() { for word in ends.indices { ends[word] = 0 } }

    /// Takes the elements of the next place; true where what is sought ends with it.
    mutating func finds(_ elements: some Sequence<Element>) -> Bool {
        for word in allowed.indices { allowed[word] = anywhere[word] }
        for element in elements {
            for (word, bits) in places[element] ?? [] { allowed[word] |= bits }
        }
        var carry: UInt64 = 1
        for word in ends.indices {
            let shifted = ends[word] << 1 | carry
            carry = ends[word] >> 63
            ends[word] = shifted & allowed[word]
        }
        return ends[ends.count - 1] & whole != 0
    }
}

/// Searches for a sequence in another by the borders of its prefixes (Knuth-Morris-Pratt): every
/// element is compared a bounded number of times, however repetitive both are.
struct BorderSearch<Element: Equatable> {
    private let sought: [Element]
    /// For each prefix, the length of the longest shorter one that it ends with.
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
