import Storage

/// Counts the terms of a search in the texts of an object.
///
/// Counted in one pass over the terms of each text, in memory that is reused from object to object:
///
///     var counter = TermCounter(search)
///     for object in objects {
///         counter.reset()
///         for text in texts(of: object) { counter.add(text) }
///         if counter.isMatch { ... }
///     }
struct TermCounter {
    private let parts: [TextSearch.Part]
    /// The first term of each part among those of all parts.
    private let starts: [Int]
    private let sought: SearchTerms
    /// For each term that is sought, whether its positions are needed, and not only its count.
    private let keepsPlaces: [Bool]
    private var counts: [Int]
    private var places: [[Int]]
    /// Where the next text begins: not next to the last word of the one before.
    private var nextPlace = 0

    init(_ search: TextSearch) {
        parts = search.parts
        sought = SearchTerms(parts.flatMap(\.terms))
        var (starts, keepsPlaces) = ([Int](), Array(repeating: false, count: sought.count))
        var end = 0
        for part in parts {
            starts.append(end)
            let terms = end..<end + part.terms.count
            for number in sought.numbers[terms] where part.isSequence {
                keepsPlaces[number] = true
            }
            end = terms.upperBound
        }
        (self.starts, self.keepsPlaces) = (starts, keepsPlaces)
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
    ///   - visit: is called with every term of the text.
    ///   - hit: is called with those that are in the search, with the number among the different
    ///     ones of the search.
    @inline(__always)
    mutating func add(
        _ text: UnsafeRawBufferPointer, visit: (TextTerm) -> Void = { _ in },
        hit: (TextTerm, Int) -> Void = { _, _ in }
    ) {
        let (start, sought) = (nextPlace, self.sought)
        TermScanner.forEach(in: text) { term in
            visit(term)
            let place = start &+ term.position
            sought.forEach(covering: term.bytes) { number in
                counts[number] &+= 1
                if keepsPlaces[number] { places[number].append(place) }
                hit(term, number)
            }
            nextPlace = place &+ 2
        }
    }

    /// Whether the texts have all that is required, and nothing that is excluded.
    var isMatch: Bool {
        parts.indices.allSatisfy { holds($0) != parts[$0].isExcluded }
    }

    private func holds(_ part: Int) -> Bool {
        guard numbers(of: part).allSatisfy({ counts[$0] > 0 }) else { return false }
        return !parts[part].isSequence || !sequences(part).isEmpty
    }

    /// The number of occurrences of a unit of the search in a text.
    func frequency(_ unit: TextSearch.Unit) -> Int {
        if let term = unit.term { return counts[sought.numbers[starts[unit.part] + term]] }
        return sequences(unit.part).count
    }

    /// The numbers of the terms of a part among the different terms of the search.
    func numbers(of part: Int) -> ArraySlice<Int> {
        sought.numbers[starts[part]..<starts[part] + parts[part].terms.count]
    }

    /// From so many terms on, all places of them are traversed, however few of one there are.
    private static let manyTerms = 64

    /// Where the terms of a part begin that are one after the other, ascending.
    func sequences(_ part: Int) -> [Int] {
        let numbers = Array(self.numbers(of: part))
        if numbers.count >= Self.manyTerms { return sequences(numbers) }
        var found: [Int] = []
        for place in places[numbers[0]] where found.last != place {
            let isWhole = numbers.indices.dropFirst().allSatisfy { index in
                let (others, wanted) = (places[numbers[index]], place + index)
                let next = others.partition { $0 < wanted }
                return next < others.count && others[next] == wanted
            }
            if isWhole { found.append(place) }
        }
        return found
    }

    /// The same in a time that does not grow with how often a phrase nearly occurs in a text.
    private func sequences(_ numbers: [Int]) -> [Int] {
        var search = MaskSearch(numbers)
        var occurrences = Set(numbers).flatMap { number in
            places[number].map { (place: $0, number: number) }
        }
        occurrences.sort { $0.place < $1.place }
        var found: [Int] = []
        var (start, last) = (0, 0)
        while start < occurrences.count {
            let place = occurrences[start].place
            let end = occurrences[start...].firstIndex { $0.place != place } ?? occurrences.count
            if place != last + 1 { search.restart() }
            if search.finds(occurrences[start..<end].lazy.map { $0.number }) {
                found.append(place - numbers.count + 1)
            }
            (start, last) = (end, place)
        }
        return found
    }
}
