public import Foundation
import Storage

extension List {
    /// Moves an element to the position `to`. Streams report a deletion and an insertion; nothing
    /// if the position does not change.
    public func move(from: Int, to: Int) {
        check(from, upTo: count - 1)
        check(to, upTo: count - 1)
        move(CollectionOfOne((from, to)))
    }

    /// Moves the elements at the given positions, in their order, before the one that is at
    /// `destination` now.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        check(destination, upTo: count)
        guard let first = offsets.first, let last = offsets.last else { return }
        check(first, upTo: count - 1)
        check(last, upTo: count - 1)
        // Elements before the destination in reverse, then those after it in order, so that no move
        // shifts an element that is still to be moved.
        let below = offsets.filter { $0 < destination }.reversed().enumerated()
        let above = offsets.filter { $0 >= destination }.enumerated()
        let moves =
            below.map { ($1, destination - 1 - $0) } + above.map { ($1, destination + $0) }
        move(moves)
    }

    private func move(_ moves: some Collection<(Int, Int)>) {
        if let box = place.unmanaged {
            // A list within a value is written as a whole, which is reported even if nothing moves.
            if moves.allSatisfy({ $0 == $1 }) { return }
            // On a copy that is written once: within a value, a list or dictionary becomes empty
            // when it is removed.
            var contents = box.contents
            for (from, to) in moves { contents.insert(contents.remove(at: from), at: to) }
            return box.contents = contents
        }
        place.change(onlyAdding: true, upTo: count) { (managed) throws(RealmError) in
            for (from, to) in moves where from != to {
                managed.tree.listMove(
                    from: from, to: to, managed.classID, managed.key, managed.column)
            }
        }
    }

    /// Exchanges two elements. Streams report two modifications; nothing when they are the same.
    public func swapAt(_ first: Int, _ second: Int) {
        check(first, upTo: count - 1)
        check(second, upTo: count - 1)
        if let box = place.unmanaged {
            if first != second { box.contents.swapAt(first, second) }
            return
        }
        exchange(CollectionOfOne((first, second)))
    }

    /// Sorts the elements; equal ones keep their order.
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        if let box = place.unmanaged {
            let sorted = try box.contents.sorted(by: areInIncreasingOrder)
            return box.contents = sorted
        }
        let order = try enumerated().sorted { try areInIncreasingOrder($0.element, $1.element) }
            .map(\.offset)
        arrange(order)
    }

    /// Reverses the order.
    public func reverse() {
        if let box = place.unmanaged { return box.contents.reverse() }
        arrange((0..<count).reversed())
    }

    /// Puts the elements in a random order.
    public func shuffle(using generator: inout some RandomNumberGenerator) {
        if let box = place.unmanaged { return box.contents.shuffle(using: &generator) }
        arrange((0..<count).shuffled(using: &generator))
    }

    /// Puts the elements in a random order.
    public func shuffle() {
        var generator = SystemRandomNumberGenerator()
        shuffle(using: &generator)
    }

    /// Permutes the elements: `order` has the present position of each new one. By exchanges,
    /// because setting an embedded element would delete it.
    private func arrange(_ order: [Int]) {
        guard order.count == count else {
            let problem = RealmError.invalidValue(
                "A list was changed by the comparison of its elements. Change it before or after "
                    + "that.")
            place.managed?.owner._live?.refuse(problem)
            return
        }
        var order = order
        var exchanges: [(Int, Int)] = []
        for start in order.indices {
            var position = start
            while order[position] != start {
                let next = order[position]
                exchanges.append((position, next))
                order[position] = position
                position = next
            }
            order[position] = position
        }
        if !exchanges.isEmpty { exchange(exchanges) }
    }

    private func exchange(_ pairs: some Sequence<(Int, Int)>) {
        place.change(onlyAdding: true, upTo: count) { (managed) throws(RealmError) in
            managed.tree.listSwap(
                pairs.filter { $0 != $1 }, managed.classID, managed.key, managed.column)
        }
    }
}

extension List where Element: Comparable {
    /// Sorts the elements ascending; equal ones keep their order.
    public func sort() { sort(by: <) }
}
