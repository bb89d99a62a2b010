import Foundation
import RealmActors
import StorageHarness
import Testing

/// Random operations on a managed map, an unmanaged one and a dictionary, which stay equal.
@Suite struct MapOperationTests {
    @Test("P10: managed and unmanaged maps of values do what dictionaries do")
    func valuesAreEditedAsInADictionary() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            var random = MapOperations(holder, generator)
            try random.run(\.intMap, Samples.ints)
            try random.run(\.doubleMap, Samples.doubles)
            try random.run(\.stringMap, Samples.strings)
            try random.run(\.dataMap, Samples.datas)
            try random.run(\.rankMap, Samples.ranks)
            try random.run(\.anyMap, Samples.anys)
            // A collection within a value is invalidated with the value.
            try random.run(\.anyMap, Samples.nested, comparesResults: false)
            try random.run(\.optionalIntMap, Samples.optional(Samples.ints))
            try random.run(\.optionalStringMap, Samples.optional(Samples.strings))
        }
    }

    @Test("P10: managed and unmanaged maps of objects do what dictionaries do")
    func objectsAreEditedAsInADictionary() async throws {
        let generator = SeededGenerator()
        try await holderRealm().write { tx in
            let holder = Holder()
            try tx.add(holder)
            var random = MapOperations(holder, generator)
            try random.run(\.memberMap, Samples.optionalMembers(tx.members()))
            // What is removed of a new embedded object has no values left.
            try random.run(\.partMap, Samples.optionalParts, comparesResults: false)
            #expect(holder.partMap.values.allSatisfy { $0?.isInvalidated != true })
        }
    }
}

/// Applies the same random operations to two maps and a dictionary of numbers.
private struct MapOperations {
    private enum Operation: CaseIterable {
        case set, setMore, setNil, update, updateDefault, remove, removeValue, removeWhere
        case removeAll, assign, merge
    }

    private let holder: Holder
    private var generator: SeededGenerator

    init(_ holder: Holder, _ generator: SeededGenerator) {
        self.holder = holder
        self.generator = generator
    }

    mutating func run<Value>(
        _ keyPath: KeyPath<Holder, Map<String, Value>>, _ sample: Sample<Value>,
        comparesResults: Bool = true
    ) throws {
        let managed = holder[keyPath: keyPath]
        managed.removeAll()
        let unmanaged = Map<String, Value>()
        var expected: [String: Int] = [:]
        for step in 0..<120 {
            let operation = try #require(Operation.allCases.randomElement(using: &generator))
            let given = given()
            let key = key()
            let results = [managed, unmanaged].map { map in
                apply(operation, to: map, given, key, sample)
            }
            let result = apply(operation, to: &expected, given, key, sample)
            let comment: Comment =
                "seed \(generator.seed), step \(step), \(operation) of \(Value.self)"
            try #require(!comparesResults || results == [result, result], comment)
            for map in [managed, unmanaged] {
                try #require(map.mapValues(sample.number) == expected, comment)
                try #require(map.keys == expected.keys.sorted(), comment)
                try #require(map.values.map(sample.number) == map.keys.map { expected[$0] })
                try #require(map.count == expected.count, comment)
                try #require(map.contains(key: key) == (expected[key] != nil), comment)
                try #require(map[key].map(sample.number) == expected[key], comment)
            }
        }
    }

    private mutating func key() -> String { "k\(Int.random(in: 0..<12, using: &generator))" }

    private mutating func given() -> [String: Int] {
        var given: [String: Int] = [:]
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            given[key()] = Int.random(in: 0..<Sample<Int>.count, using: &generator)
        }
        return given
    }

    private func apply<Value>(
        _ operation: Operation, to map: Map<String, Value>, _ given: [String: Int],
        _ key: String, _ sample: Sample<Value>
    ) -> Int? {
        let number = given.values.max() ?? 0
        let entries = given.mapValues(sample.make)
        switch operation {
        case .set, .setMore: map[key] = sample.make(number)
        case .setNil: map[key] = nil
        case .update: return map.updateValue(sample.make(number), forKey: key).map(sample.number)
        case .updateDefault:
            let old = map[key, default: sample.make(number)]
            map[key, default: sample.make(number)] = sample.make(number)
            return sample.number(old)
        case .remove: map.removeObject(for: key)
        case .removeValue: return map.removeValue(forKey: key).map(sample.number)
        case .removeWhere: map.removeAll { sample.number($0.value) % 3 == number % 3 }
        case .removeAll: map.removeAll()
        case .assign: map.assign(entries)
        case .merge:
            map.merge(entries) { old, new in
                // A new one, for an embedded object has one parent.
                sample.make(Swift.max(sample.number(old), sample.number(new)))
            }
        }
        return nil
    }

    private func apply<Value>(
        _ operation: Operation, to map: inout [String: Int], _ given: [String: Int],
        _ key: String, _ sample: Sample<Value>
    ) -> Int? {
        let number = given.values.max() ?? 0
        let entries = given.mapValues(sample.same)
        switch operation {
        case .set, .setMore: map[key] = sample.same(number)
        case .setNil: map[key] = nil
        case .update: return map.updateValue(sample.same(number), forKey: key)
        case .updateDefault:
            let old = map[key, default: sample.same(number)]
            map[key] = sample.same(number)
            return old
        case .remove: map[key] = nil
        case .removeValue: return map.removeValue(forKey: key)
        case .removeWhere: map = map.filter { $0.value % 3 != number % 3 }
        case .removeAll: map = [:]
        case .assign: map = entries
        case .merge:
            map.merge(entries) { sample.same(Swift.max($0, $1)) }
        }
        return nil
    }
}
