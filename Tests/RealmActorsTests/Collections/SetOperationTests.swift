import Foundation
import RealmActors
import StorageHarness
import Testing

/// Random operations on a managed set, an unmanaged one and a set of numbers, which stay equal.
@Suite struct SetOperationTests {
    @Test("P9: managed and unmanaged sets of values do what sets do")
    func valuesAreEditedAsInASetOfSwift() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            var random = SetOperations(holder, generator)
            try random.run(\.intSet, Samples.ints)
            try random.run(\.doubleSet, Samples.doubles)
            try random.run(\.stringSet, Samples.strings)
            try random.run(\.dataSet, Samples.datas)
            try random.run(\.dateSet, Samples.dates)
            try random.run(\.uuidSet, Samples.uuids)
            try random.run(\.rankSet, Samples.ranks)
            try random.run(\.anySet, Samples.anys)
            try random.run(\.optionalIntSet, Samples.optional(Samples.ints))
        }
    }

    @Test("P9: managed and unmanaged sets of objects do what sets do")
    func objectsAreEditedAsInASetOfSwift() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            let all = try tx.members()
            var random = SetOperations(holder, generator)
            try random.run(\.memberSet, Samples.members(all))
            // Other accessors for the same rows.
            let again = tx.objects(Member.self).map { $0 }
            try random.run(\.memberSet, Samples.members(again))
        }
    }
}

/// Applies the same random operations to two sets of elements and one of numbers.
private struct SetOperations {
    private enum Operation: CaseIterable {
        case insert, insertAgain, insertMany, remove, removeWhere, removeAll, assign, union
        case intersection, subtract, difference, unionOfSets, intersectionOfSets
    }

    private let holder: Holder
    private var generator: SeededGenerator

    init(_ holder: Holder, _ generator: SeededGenerator) {
        self.holder = holder
        self.generator = generator
    }

    mutating func run<Element>(
        _ keyPath: KeyPath<Holder, MutableSet<Element>>, _ sample: Sample<Element>
    ) throws {
        let managed = holder[keyPath: keyPath]
        managed.removeAll()
        let unmanaged = MutableSet<Element>()
        var expected: Set<Int> = []
        for step in 0..<100 {
            let operation = try #require(Operation.allCases.randomElement(using: &generator))
            let given = numbers()
            let number = number()
            let results = [managed, unmanaged].map { set in
                apply(operation, to: set, given, number, sample)
            }
            let result = apply(operation, to: &expected, given, number, sample)
            let comment: Comment =
                "seed \(generator.seed), step \(step), \(operation) of \(Element.self)"
            try #require(results == [result, result], comment)
            for set in [managed, unmanaged] {
                try #require(Set(set.map(sample.number)) == expected, comment)
                try #require(set.count == expected.count, comment)
                try check(set, expected, numbers(), sample, comment)
            }
            try #require(managed == unmanaged && unmanaged == managed, comment)
        }
    }

    private func check<Element>(
        _ set: MutableSet<Element>, _ expected: Set<Int>, _ given: [Int],
        _ sample: Sample<Element>, _ comment: Comment
    ) throws {
        let others = given.map(sample.make)
        let other = MutableSet(others)
        let numbers = Set(given.map(sample.same))
        for number in given {
            let contains = expected.contains(sample.same(number))
            try #require(set.contains(sample.make(number)) == contains, comment)
        }
        try #require(set.isSubset(of: other) == expected.isSubset(of: numbers), comment)
        try #require(set.isSuperset(of: others) == expected.isSuperset(of: numbers), comment)
        try #require(
            set.isStrictSuperset(of: other) == expected.isStrictSuperset(of: numbers), comment)
        try #require(set.intersects(other) == !expected.isDisjoint(with: numbers), comment)
        try #require(set.isDisjoint(with: others) == expected.isDisjoint(with: numbers), comment)
        try #require(
            Set(set.symmetricDifference(others).map(sample.number))
                == expected.symmetricDifference(numbers), comment)
        try #require(
            Set(set.subtracting(others).map(sample.number)) == expected.subtracting(numbers),
            comment)
    }

    private mutating func number() -> Int {
        Int.random(in: 0..<Sample<Int>.count, using: &generator)
    }

    private mutating func numbers() -> [Int] {
        (0..<Int.random(in: 0...12, using: &generator)).map { _ in number() }
    }

    private func apply<Element>(
        _ operation: Operation, to set: MutableSet<Element>, _ given: [Int], _ number: Int,
        _ sample: Sample<Element>
    ) -> Bool {
        let others = given.map(sample.make)
        switch operation {
        case .insert, .insertAgain: return set.insert(sample.make(number))
        case .insertMany: set.insert(objectsIn: others)
        case .remove: return set.remove(sample.make(number))
        case .removeWhere: set.removeAll { sample.number($0) % 5 == number % 5 }
        case .removeAll: set.removeAll()
        case .assign: set.assign(others)
        case .union: set.formUnion(others)
        case .intersection: set.formIntersection(others)
        case .subtract: set.subtract(others)
        case .difference: set.formSymmetricDifference(others)
        case .unionOfSets: set.formUnion(MutableSet(others))
        case .intersectionOfSets: set.formIntersection(MutableSet(others))
        }
        return true
    }

    private func apply<Element>(
        _ operation: Operation, to set: inout Set<Int>, _ given: [Int], _ number: Int,
        _ sample: Sample<Element>
    ) -> Bool {
        let others = given.map(sample.same)
        switch operation {
        case .insert, .insertAgain: return set.insert(sample.same(number)).inserted
        case .insertMany, .union, .unionOfSets: set.formUnion(others)
        case .remove: return set.remove(sample.same(number)) != nil
        case .removeWhere: set = set.filter { $0 % 5 != number % 5 }
        case .removeAll: set = []
        case .assign: set = Set(others)
        case .intersection, .intersectionOfSets: set.formIntersection(others)
        case .subtract: set.subtract(others)
        case .difference: set.formSymmetricDifference(others)
        }
        return true
    }
}
