import Storage

/// The words of a text, and the matches of a search, as ranges of bytes.
struct SearchHits {
    /// A match: a word, or a phrase as a whole.
    struct Hit {
        /// The unit of the search.
        let unit: Int
        /// The first and the last word that it covers.
        let places: ClosedRange<Int>
        let bytes: Range<Int>
    }

    /// The bytes of each word.
    private(set) var words: [Range<Int>] = []
    /// The hits, in the order of the text.
    private(set) var hits: [Hit] = []

    /// - Parameter search: nil finds nothing.
    init(_ search: TextSearch?, in text: UnsafeRawBufferPointer) {
        guard let search else {
            TermScanner.forEach(in: text) { addWord($0) }
            return
        }
        var counter = TermCounter(search)
        let terms = search.parts.flatMap(\.terms)
        let numbers = search.parts.indices.flatMap { counter.numbers(of: $0) }
        var isCharacter = Array(repeating: false, count: terms.count)
        for (term, number) in zip(terms, numbers) { isCharacter[number] = term.isCharacter }
        var found = terms.map { _ in [(place: Int, bytes: Range<Int>)]() }
        counter.add(text, visit: { addWord($0) }) { term, number in
            // In a pair that begins with the character that is sought, the hit is that character.
            let end = isCharacter[number] ? term.headEnd : term.range.upperBound
            found[number].append((term.position, term.range.lowerBound..<end))
        }
        var seen: Set<[Int]> = []
        for (number, unit) in search.units.enumerated() {
            let all = counter.numbers(of: unit.part)
            let own = unit.term.map { [all[all.startIndex + $0]] } ?? Array(all)
            // A repeated unit has the same hits.
            guard seen.insert(own).inserted, let first = own.first, let last = own.last else {
                continue
            }
            if unit.term != nil {
                for hit in found[first] {
                    hits.append(
                        Hit(unit: number, places: hit.place...hit.place, bytes: hit.bytes))
                }
                continue
            }
            for place in counter.sequences(unit.part) {
                let end = place + own.count - 1
                guard let head = Self.first(at: place, in: found[first]),
                    let tail = Self.first(at: end, in: found[last])
                else { continue }
                let upper = max(head.upperBound, tail.upperBound)
                hits.append(
                    Hit(unit: number, places: place...end, bytes: head.lowerBound..<upper))
            }
        }
        hits.sort { ($0.bytes.lowerBound, $0.unit) < ($1.bytes.lowerBound, $1.unit) }
    }

    private mutating func addWord(_ term: TextTerm) {
        if term.position < words.count {
            // The last character of a run, which its last pair has as well.
            let word = words[term.position]
            words[term.position] = word.lowerBound..<max(word.upperBound, term.range.upperBound)
        } else {
            words.append(term.range)
        }
    }

    private static func first(
        at place: Int, in found: [(place: Int, bytes: Range<Int>)]
    ) -> Range<Int>? {
        let index = (0..<found.count).partition { found[$0].place < place }
        return index < found.count && found[index].place == place ? found[index].bytes : nil
    }

    /// The `count` adjacent words with most different units, then most hits, then the first
    /// position; the hits are centered.
    func window(of count: Int) -> Range<Int> {
        if words.count <= count { return 0..<words.count }
        var (best, bestScore) = (0..<0, (units: 0, hits: 0))
        var inside: [Int: Int] = [:]
        var end = 0
        for (start, first) in hits.enumerated() {
            while end < hits.count,
                hits[end].places.upperBound < first.places.lowerBound + count || end == start
            {
                inside[hits[end].unit, default: 0] += 1
                end += 1
            }
            if (inside.count, end - start) > bestScore {
                (best, bestScore) = (start..<end, (inside.count, end - start))
            }
            inside[first.unit, default: 1] -= 1
            if inside[first.unit] == 0 { inside[first.unit] = nil }
        }
        guard let first = hits[best].first?.places.lowerBound else { return 0..<count }
        let last = hits[best].reduce(first) { max($0, $1.places.upperBound) }
        let room = max(0, count - (last - first + 1))
        let start = max(0, min(first - room / 2, words.count - count))
        return start..<start + count
    }

    /// The ranges of the hits within a range, overlapping and adjacent ones joined.
    func bytes(within range: Range<Int>) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for hit in hits {
            let bytes = hit.bytes.clamped(to: range)
            if bytes.isEmpty { continue }
            if let last = merged.last, bytes.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, bytes.upperBound)
            } else {
                merged.append(bytes)
            }
        }
        return merged
    }
}
