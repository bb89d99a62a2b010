/// A term of a text: a word as in a full-text index, with folded case and diacritics.
package struct TextTerm {
    // Unsafe: lent for the call that gets the term.
    /// The folded term as UTF-8.
    package let bytes: UnsafeRawBufferPointer
    /// The number of words before it in the text.
    package let position: Int
    /// Whether it is the last character of a run of CJK, which is also a term of its own.
    package let isTail: Bool
    /// The range of the term in the text.
    package let range: Range<Int>
    /// The end of the first character of a pair; of any other term, its end.
    package let headEnd: Int
}

/// Splits texts into terms.
///
/// A word is a maximal run of letters and digits. A run of Chinese, Japanese or Korean characters,
/// which have no spaces between words, gives each pair of neighbours, and the last character on its
/// own: so the terms that begin with a character cover every place where it occurs.
package enum TermScanner {
    /// Calls `body` with each term in order.
    package static func forEach(in text: UnsafeRawBufferPointer, _ body: (TextTerm) -> Void) {
        if text.isEmpty { return }
        var position = 0
        // Unsafe: every byte of a term is written before the term is read.
        withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { copy in
            var start = 0
            while start < text.count {
                var (end, isASCII) = (start, true)
                while end < text.count {
                    let byte = text[end]
                    if byte >= 0x80 {
                        isASCII = false
                    } else if isSeparator(byte) {
                        break
                    }
                    copy[end] = lower(byte)
                    end += 1
                }
                if end > start {
                    if isASCII {
                        body(
                            TextTerm(
                                bytes: UnsafeRawBufferPointer(rebasing: copy[start..<end]),
                                position: position, isTail: false, range: start..<end,
                                headEnd: end))
                        position += 1
                    } else {
                        let run = UnsafeRawBufferPointer(rebasing: text[start..<end])
                        var scanner = ScalarTerms(position: position, offset: start)
                        scanner.scan(run, body)
                        position = scanner.position
                    }
                }
                start = end + 1
            }
        }
    }

    /// Whether an ASCII character separates words.
    @inline(__always)
    package static func isSeparator(_ byte: UInt8) -> Bool {
        lower(byte) &- 0x61 >= 26 && byte &- 0x30 >= 10
    }

    @inline(__always)
    private static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}

/// The terms of a run of text with characters beyond ASCII.
private struct ScalarTerms {
    private(set) var position: Int
    /// The offset of the next character in the text.
    private var offset: Int
    private var word: [UInt8] = []
    private var wordRange = 0..<0
    /// The marks after the word that are not added to it yet.
    private var marks: [FoldedScalar.Mark] = []
    /// The last character of the current run of CJK.
    private var last: Unicode.Scalar?
    private var lastRange = 0..<0
    private var hasPair = false

    init(position: Int, offset: Int) {
        self.position = position
        self.offset = offset
    }

    mutating func scan(_ run: UnsafeRawBufferPointer, _ body: (TextTerm) -> Void) {
        let text = String(decoding: run, as: UTF8.self)
        guard FoldedScalar.isInParts(text) else {
            for scalar in text.unicodeScalars { take(scalar, UTF8.width(scalar), body) }
            return end(body)
        }
        let composed = FoldedScalar.Composed(text)
        for (scalar, width) in zip(composed.scalars, composed.widths) { take(scalar, width, body) }
        end(body)
    }

    /// Processes a character that has `width` bytes in the text.
    private mutating func take(
        _ scalar: Unicode.Scalar, _ width: Int, _ body: (TextTerm) -> Void
    ) {
        let range = offset..<offset + width
        offset = range.upperBound
        switch FoldedScalar.of(scalar) {
        case .ignored: lengthen(to: offset)
        case .separator: end(body)
        case .unspaced:
            endWord(body)
            addUnspaced(scalar, range, body)
        case .letter(let folded, let own):
            endUnspaced(body)
            if word.isEmpty { wordRange = range }
            enterMarks()
            word += folded
            marks += own
            lengthen(to: offset)
        case .marks(let own):
            if word.isEmpty { return }
            for mark in own {
                if mark.place == 0 { enterMarks() }
                marks.append(mark)
            }
            lengthen(to: offset)
        }
    }

    /// Adds the marks after a letter to the word, in canonical order.
    private mutating func enterMarks() {
        if marks.isEmpty { return }
        if marks.count > 1 {
            let order = marks.indices.sorted {
                (marks[$0].place, $0) < (marks[$1].place, $1)
            }
            for index in order { word += marks[index].bytes }
        } else {
            word += marks[0].bytes
        }
        marks.removeAll(keepingCapacity: true)
    }

    /// Extends the range of the term to a character that belongs to its last letter.
    private mutating func lengthen(to end: Int) {
        if !word.isEmpty {
            wordRange = wordRange.lowerBound..<end
        } else if last != nil {
            lastRange = lastRange.lowerBound..<end
        }
    }

    private mutating func end(_ body: (TextTerm) -> Void) {
        endWord(body)
        endUnspaced(body)
    }

    private mutating func endWord(_ body: (TextTerm) -> Void) {
        if word.isEmpty { return }
        enterMarks()
        give(word, isTail: false, wordRange, wordRange.upperBound, body)
        position += 1
        word.removeAll(keepingCapacity: true)
    }

    private mutating func addUnspaced(
        _ scalar: Unicode.Scalar, _ range: Range<Int>, _ body: (TextTerm) -> Void
    ) {
        if let last {
            let pair = lastRange.lowerBound..<range.upperBound
            give(
                Array("\(last)\(scalar)".utf8), isTail: false, pair, lastRange.upperBound, body)
            position += 1
            hasPair = true
        }
        last = scalar
        lastRange = range
    }

    private mutating func endUnspaced(_ body: (TextTerm) -> Void) {
        guard let last else { return }
        // After pairs it adds no word: the next word follows the last pair.
        if hasPair { position -= 1 }
        give(Array("\(last)".utf8), isTail: true, lastRange, lastRange.upperBound, body)
        position += 1
        self.last = nil
        hasPair = false
    }

    private func give(
        _ bytes: [UInt8], isTail: Bool, _ range: Range<Int>, _ headEnd: Int,
        _ body: (TextTerm) -> Void
    ) {
        // Unsafe: lent for the call.
        bytes.withUnsafeBytes {
            body(
                TextTerm(
                    bytes: $0, position: position, isTail: isTail, range: range,
                    headEnd: headEnd))
        }
    }
}
