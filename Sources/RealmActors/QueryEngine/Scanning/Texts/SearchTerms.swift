import Storage

/// The distinct terms of a search, among which the terms of texts are looked up.
///
/// They are in the order of their bytes, a prefix before the same word as a whole. The terms that
/// cover a term, as a prefix or as a whole, are then the last one that is not after it, and those
/// that cover that one.
struct SearchTerms: Sendable {
    private struct Entry {
        /// Where its bytes are among those of all.
        let bytes: Range<Int>
        let isPrefix: Bool
        /// The longest of the others that covers it; nil for none.
        let shorter: Int?
    }

    private let bytes: [UInt8]
    private let entries: [Entry]
    /// The number of each term of the search among them, in the order of the search.
    let numbers: [Int]

    var count: Int { entries.count }

    init(_ terms: [TextSearch.Term]) {
        var (bytes, entries) = ([UInt8](), [Entry]())
        var numbers = Array(repeating: 0, count: terms.count)
        // Beginnings that cover one another, the longest last.
        var open: [Int] = []
        var last: TextSearch.Term?
        for index in terms.indices.sorted(by: { Self.precedes(terms[$0], terms[$1]) }) {
            let term = terms[index]
            if last?.bytes != term.bytes || last?.isPrefix != term.isPrefix {
                while let number = open.last,
                    !term.bytes.starts(with: bytes[entries[number].bytes])
                { open.removeLast() }
                let start = bytes.count
                bytes += term.bytes
                entries.append(
                    Entry(
                        bytes: start..<bytes.count, isPrefix: term.isPrefix, shorter: open.last))
                if term.isPrefix { open.append(entries.count - 1) }
                last = term
            }
            numbers[index] = entries.count - 1
        }
        (self.bytes, self.entries, self.numbers) = (bytes, entries, numbers)
    }

    private static func precedes(_ a: TextSearch.Term, _ b: TextSearch.Term) -> Bool {
        a.bytes == b.bytes
            ? a.isPrefix && !b.isPrefix : a.bytes.lexicographicallyPrecedes(b.bytes)
    }

    /// Calls `body` with the numbers of those that cover a term.
    @inline(__always)
    func forEach(covering term: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
        let index = entries.indices.partitioningIndex { isBehind(entries[$0], term) }
        var next: Int? = index > 0 ? index &- 1 : nil
        while let number = next {
            let entry = entries[number]
            if covers(entry, term) { body(number) }
            next = entry.shorter
        }
    }

    /// Whether it comes after a term in the order of bytes.
    @inline(__always)
    private func isBehind(_ entry: Entry, _ term: UnsafeRawBufferPointer) -> Bool {
        let count = min(entry.bytes.count, term.count)
        var index = 0
        while index < count {
            let byte = bytes[entry.bytes.lowerBound &+ index]
            if byte != term[index] { return byte > term[index] }
            index &+= 1
        }
        return entry.bytes.count > term.count
    }

    @inline(__always)
    private func covers(_ entry: Entry, _ term: UnsafeRawBufferPointer) -> Bool {
        let count = entry.bytes.count
        guard term.count == count || (entry.isPrefix && term.count > count) else { return false }
        var index = 0
        while index < count {
            if term[index] != bytes[entry.bytes.lowerBound &+ index] { return false }
            index &+= 1
        }
        return true
    }
}
