import Foundation
import RealmActors
import StorageHarness
import Testing

/// Random operations on a managed list, an unmanaged one and an array, which stay equal.
@Suite struct ListOperationTests {
    @Test("Q17: managed and unmanaged lists of values do what arrays do")
    func valuesAreEditedAsInAnArray() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            var random = ListOperations(holder, generator)
            try random.run(\.bools, Samples.bools)
            try random.run(\.ints, Samples.ints)
            try random.run(\.smalls, Samples.smalls)
            try random.run(\.floats, Samples.floats)
            try random.run(\.doubles, Samples.doubles)
            try random.run(\.strings, Samples.strings)
            try random.run(\.datas, Samples.datas)
            try random.run(\.dates, Samples.dates)
            try random.run(\.uuids, Samples.uuids)
            try random.run(\.ranks, Samples.ranks)
            try random.run(\.anys, Samples.anys)
            try random.run(\.anys, Samples.nested)
        }
    }

    @Test("Q17: managed and unmanaged lists of optionals do what arrays do")
    func optionalsAreEditedAsInAnArray() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            var random = ListOperations(holder, generator)
            try random.run(\.optionalInts, Samples.optional(Samples.ints))
            try random.run(\.optionalDoubles, Samples.optional(Samples.doubles))
            try random.run(\.optionalStrings, Samples.optional(Samples.strings))
        }
    }

    @Test("Q17: managed and unmanaged lists of objects do what arrays do")
    func objectsAreEditedAsInAnArray() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            var random = ListOperations(holder, generator)
            try random.run(\.members, Samples.members(tx.members()))
            try random.run(\.parts, Samples.parts)
            #expect(tx.objects(Member.self).count == Sample<Member>.count)
            #expect(Set(holder.parts.map { $0.isInvalidated }).isSubset(of: [false]))
        }
    }
}

/// Applies the same random operations to two lists and an array of numbers.
private struct ListOperations {
    private let holder: Holder
    private var generator: SeededGenerator

    init(_ holder: Holder, _ generator: SeededGenerator) {
        self.holder = holder
        self.generator = generator
    }

    mutating func run<Element>(
        _ keyPath: KeyPath<Holder, List<Element>>, _ sample: Sample<Element>
    ) throws {
        let managed = holder[keyPath: keyPath]
        managed.removeAll()
        let unmanaged = List<Element>()
        var expected: [Int] = []
        for step in 0..<120 {
            let saved = generator
            let operation = ListOperation.all.randomElement(using: &generator)
            let choice = try #require(operation)
            var seeds = generator
            apply(choice, to: managed, sample)
            generator = seeds
            apply(choice, to: unmanaged, sample)
            generator = seeds
            apply(choice, to: &expected, sample)
            seeds = generator
            let comment = "seed \(saved.seed), step \(step), \(choice) of \(Element.self)"
            try #require(managed.map(sample.number) == expected, "\(comment), managed")
            try #require(unmanaged.map(sample.number) == expected, "\(comment), unmanaged")
            try #require(managed.count == expected.count, "\(comment), count")
        }
    }

    private mutating func number() -> Int {
        Int.random(in: 0..<Sample<Int>.count, using: &generator)
    }

    private mutating func numbers() -> [Int] {
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in number() }
    }

    private mutating func range(_ count: Int) -> Range<Int> {
        let bound = Int.random(in: 0...count, using: &generator)
        return bound..<Int.random(in: bound...Swift.min(count, bound + 5), using: &generator)
    }

    private mutating func offsets(_ count: Int) -> IndexSet {
        IndexSet((0..<count).filter { _ in Bool.random(using: &generator) })
    }

    private mutating func position(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    private mutating func apply<Element>(
        _ operation: ListOperation, to list: List<Element>, _ sample: Sample<Element>
    ) {
        let count = list.count
        if operation.needsElements, count == 0 { return }
        switch operation {
        case .append: list.append(sample.make(number()))
        case .appendMany: list.append(contentsOf: numbers().map(sample.make))
        case .appendObjects: list.append(objectsIn: numbers().map(sample.make))
        case .add: list += numbers().map(sample.make)
        case .insert: list.insert(sample.make(number()), at: position(count + 1))
        case .insertMany:
            list.insert(contentsOf: numbers().map(sample.make), at: position(count + 1))
        case .remove: list.remove(at: position(count))
        case .removeOffsets: list.remove(atOffsets: offsets(count))
        case .removeFirst: list.removeFirst()
        case .removeLast: list.removeLast(position(count))
        case .popLast: _ = list.popLast()
        case .removeRange: list.removeSubrange(range(count))
        case .removeWhere:
            let parity = number() % 3
            list.removeAll { sample.number($0) % 3 == parity }
        case .removeAll: list.removeAll()
        case .set: list[position(count)] = sample.make(number())
        case .replace: list.replace(index: position(count), object: sample.make(number()))
        case .replaceRange: list.replaceSubrange(range(count), with: numbers().map(sample.make))
        case .assignRange:
            let range = range(count)
            list[range] = List(numbers().map(sample.make))[...]
        case .sliceAppend:
            let range = range(count)
            list[range].append(sample.make(number()))
        case .sliceDrop:
            let range = range(count)
            if !range.isEmpty { list[range].removeFirst() }
        case .move: list.move(from: position(count), to: position(count))
        case .moveOffsets: list.move(fromOffsets: offsets(count), toOffset: position(count + 1))
        case .swap: list.swapAt(position(count), position(count))
        case .assign: list.assign(numbers().map(sample.make))
        case .sort: list.sort { sample.number($0) < sample.number($1) }
        case .reverse: list.reverse()
        case .shuffle: list.shuffle(using: &generator)
        }
    }

    private mutating func apply<Element>(
        _ operation: ListOperation, to array: inout [Int], _ sample: Sample<Element>
    ) {
        let count = array.count
        if operation.needsElements, count == 0 { return }
        switch operation {
        case .append: array.append(sample.same(number()))
        case .appendMany, .appendObjects, .add:
            array.append(contentsOf: numbers().map(sample.same))
        case .insert: array.insert(sample.same(number()), at: position(count + 1))
        case .insertMany:
            array.insert(contentsOf: numbers().map(sample.same), at: position(count + 1))
        case .remove: array.remove(at: position(count))
        case .removeOffsets:
            for offset in offsets(count).reversed() { array.remove(at: offset) }
        case .removeFirst: array.removeFirst()
        case .removeLast: array.removeLast(position(count))
        case .popLast: _ = array.popLast()
        case .removeRange: array.removeSubrange(range(count))
        case .removeWhere:
            let parity = number() % 3
            array.removeAll { $0 % 3 == parity }
        case .removeAll: array.removeAll()
        case .set, .replace: array[position(count)] = sample.same(number())
        case .replaceRange: array.replaceSubrange(range(count), with: numbers().map(sample.same))
        case .assignRange:
            let range = range(count)
            array[range] = numbers().map(sample.same)[...]
        case .sliceAppend:
            let range = range(count)
            array[range].append(sample.same(number()))
        case .sliceDrop:
            let range = range(count)
            if !range.isEmpty { array[range].removeFirst() }
        case .move:
            let (from, to) = (position(count), position(count))
            array.insert(array.remove(at: from), at: to)
        case .moveOffsets: move(&array)
        case .swap: array.swapAt(position(count), position(count))
        case .assign: array = numbers().map(sample.same)
        case .sort: array.sort()
        case .reverse: array.reverse()
        case .shuffle: array.shuffle(using: &generator)
        }
    }

    private mutating func move(_ array: inout [Int]) {
        let count = array.count
        let offsets = offsets(count)
        let destination = position(count + 1)
        let moved = offsets.map { array[$0] }
        for offset in offsets.reversed() { array.remove(at: offset) }
        array.insert(contentsOf: moved, at: destination - offsets.count(in: 0..<destination))
    }
}

private enum ListOperation {
    case append, appendMany, appendObjects, add, insert, insertMany
    case remove, removeOffsets, removeFirst, removeLast, popLast, removeRange, removeWhere
    case removeAll, set, replace, replaceRange, assignRange, sliceAppend, sliceDrop
    case move, moveOffsets, swap, assign, sort, reverse, shuffle

    var needsElements: Bool {
        switch self {
        case .remove, .removeFirst, .removeLast, .set, .replace, .move, .swap: true
        default: false
        }
    }

    /// Additions more often than what takes away much.
    static let all: [ListOperation] = [
        .append, .append, .appendMany, .appendMany, .appendObjects, .add, .insert, .insert,
        .insertMany, .insertMany, .remove, .removeOffsets, .removeFirst, .removeLast, .popLast,
        .removeRange, .removeWhere, .removeAll, .set, .set, .replace, .replaceRange,
        .replaceRange, .assignRange, .sliceAppend, .sliceDrop, .move, .moveOffsets, .moveOffsets,
        .swap, .assign, .sort, .reverse, .shuffle,
    ]
}
