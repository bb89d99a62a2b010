import Storage

/// How often the texts of an object have what a search asks for.
///
/// Counted in one pass over the terms of each text, in memory that serves one object after another:
///
///     var tally = SearchTally(search)
///     for object in objects {
///         tally.reset()
///         for text in texts(of: object) { tally.add(text) }
///         if tally.isMatch { ... }
///     }
struct SearchTally {
    private struct Sought {
        /// Where its bytes are among those of all terms.
        let bytes: Range<Int>
        let first: UInt8
        let isPrefix: Bool
        /// Whether it is not enough to know how often it occurs.
        let keepsPlaces: Bool
    }

    private let parts: [TextSearch.Part]
    /// The first term of each part among those of all parts.
    private let starts: [Int]
    private let sought: [Sought]
    private let bytes: [UInt8]
    private var counts: [Int]
    private var places: [[Int]]
    /// Where the next text begins: not next to the last word of the one before.
    private var nextPlace = 0

    init(_ search: TextSearch) {
        parts = search.parts
        var (starts, sought, bytes): ([Int], [Sought], [UInt8]) = ([], [], [])
        for part in parts {
            starts.append(sought.count)
            for term in part.terms {
                let start = bytes.count
                bytes += term.bytes
                sought.append(
                    Sought(
                        bytes: start..<bytes.count, first: term.bytes.first ?? 0,
                        isPrefix: term.isPrefix, keepsPlaces: part.isSequence))
            }
        }
        (self.starts, self.sought, self.bytes) = (starts, sought, bytes)
        counts = Array(repeating: 0, count: sought.count)
        places = Array(repeating: [], count: sought.count)
    }

    /// Forgets the texts of the object before.
    mutating func reset() {
        for index in counts.indices { counts[index] = 0 }
        for index in places.indices { places[index].removeAll(keepingCapacity: true) }
        nextPlace = 0
    }

    /// Counts in one more text of the object.
    ///
    /// - Parameters:
    ///   - visit: is shown every term of the text.
    ///   - hit: is shown those that are asked for, with the number among all terms of the search.
    @inline(__always)
    mutating func add(
        _ text: UnsafeRawBufferPointer, visit: (TextTerm) -> Void = { _ in },
        hit: (TextTerm, Int) -> Void = { _, _ in }
    ) {
        let start = nextPlace
        TermScanner.forEach(in: text) { term in
            visit(term)
            let place = start &+ term.position
            for (index, sought) in sought.enumerated() where isTerm(term.bytes, sought) {
                counts[index] &+= 1
                if sought.keepsPlaces { places[index].append(place) }
                hit(term, index)
            }
            nextPlace = place &+ 2
        }
    }

    @inline(__always)
    private func isTerm(_ term: UnsafeRawBufferPointer, _ sought: Sought) -> Bool {
        let count = sought.bytes.count
        guard term[0] == sought.first,
            term.count == count || (sought.isPrefix && term.count > count)
        else { return false }
        var index = 1
        while index < count {
            if term[index] != bytes[sought.bytes.lowerBound &+ index] { return false }
            index &+= 1
        }
        return true
    }

    /// Whether the texts have all that is asked for, and nothing that is excluded.
    var isMatch: Bool {
        parts.indices.allSatisfy { holds($0) != parts[$0].isExcluded }
    }

    private func holds(_ part: Int) -> Bool {
        guard terms(of: part).allSatisfy({ counts[$0] > 0 }) else { return false }
        return !parts[part].isSequence || !sequences(part).isEmpty
    }

    /// How often a text has what a unit of the search stands for.
    func frequency(_ unit: TextSearch.Unit) -> Int {
        if let term = unit.term { return counts[starts[unit.part] + term] }
        return sequences(unit.part).count
    }

    /// The numbers of the terms of a part among those of all parts.
    func terms(of part: Int) -> Range<Int> {
        starts[part]..<starts[part] + parts[part].terms.count
    }

    /// Where the terms of a part begin that stand one behind the other, ascending.
    func sequences(_ part: Int) -> [Int] {
        let (start, terms) = (starts[part], parts[part].terms)
        var found: [Int] = []
        for place in places[start] where found.last != place {
            let isWhole = terms.indices.dropFirst().allSatisfy { index in
                let (others, wanted) = (
                    places[start + index], place + terms[index].position - terms[0].position
                )
                let next = others.partition { $0 < wanted }
                return next < others.count && others[next] == wanted
            }
            if isWhole { found.append(place) }
        }
        return found
    }
}
