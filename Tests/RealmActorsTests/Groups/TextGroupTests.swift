import Foundation
import RealmActors
import StorageHarness
import Testing

private final class Remark: Object {
    @Persisted var text: String
    @Persisted var maybe: String?
    @Persisted var bytes: Data
    @Persisted var maybeBytes: Data?
    @Persisted var number: Int
    @Persisted var next: Remark?
}

/// Groups by texts and bytes that are alike for long, and by values whose hashes are alike.
@Suite struct TextGroupTests {
    /// Beginnings of more and of less than whole words, and of more words than are sorted by.
    private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
        let length = [0, 1, 7, 8, 9, 56, 63, 64, 65, 72, 300][random.next(below: 11)]
        var bytes = [UInt8](repeating: random.oneIn(3) ? 0 : 0x61, count: length)
        for _ in 0..<random.next(below: 5) {
            bytes.append([0, 1, 0x61, 0x7F][random.next(below: 4)])
        }
        if random.oneIn(2) { bytes += Array("\(random.next(below: 500))".utf8) }
        return bytes
    }

    /// Nothing but nil in some clusters, and nothing but empty texts in others.
    private static func given(_ random: inout SeededGenerator) -> [[UInt8]?] {
        var given = [[UInt8]?](repeating: nil, count: 600)
        given += [[UInt8]?](repeating: [], count: 600)
        for _ in 0..<6000 { given.append(bytes(&random)) }
        for index in 0..<100 { given[1200 + index * 50] = nil }
        return given
    }

    private func check<Key: Hashable & Sendable>(
        _ groups: GroupedResults<Key, FrozenResults<Remark>>, _ given: [[UInt8]?],
        _ seed: UInt64, _ bytes: (Key) -> [UInt8]?
    ) {
        var expected: [[UInt8]?: Int] = [:]
        for one in given { expected[one, default: 0] += 1 }
        let keys = expected.keys.sorted { a, b in
            guard let b else { return false }
            return a?.lexicographicallyPrecedes(b) ?? true
        }
        let counts = keys.map { expected[$0] ?? 0 }
        let found = groups.count()
        let foundKeys = found.map { bytes($0.key) }
        #expect(foundKeys == keys, "seed \(seed)")
        #expect(found.map(\.value) == counts, "seed \(seed)")
        let several = groups.aggregates(.count, .sum(of: \.number))
        let severalKeys = several.map { bytes($0.key) }
        #expect(severalKeys == keys, "seed \(seed)")
        #expect(several.map(\.value.0) == counts, "seed \(seed)")
    }

    @Test func textsThatAreAlikeForLongAreWholeAndInOrder() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let given = Self.given(&random)
        try await withFreshRealm([Remark.self]) { realm in
            try await realm.write { tx in
                var last: Remark?
                for bytes in given {
                    let remark = Remark()
                    remark.maybe = bytes.map { String(decoding: $0, as: UTF8.self) }
                    remark.text = remark.maybe ?? ""
                    remark.maybeBytes = bytes.map { Data($0) }
                    remark.bytes = remark.maybeBytes ?? Data()
                    remark.next = last
                    try tx.add(remark)
                    last = remark
                }
            }
            let remarks = realm.objects(Remark.self)
            let whole: [[UInt8]?] = given.map { $0 ?? [] }
            check(remarks.grouped(by: \.maybe), given, seed) { $0.map { Array($0.utf8) } }
            check(remarks.grouped(by: \.text), whole, seed) { Array($0.utf8) }
            check(remarks.grouped(by: \.maybeBytes), given, seed) { $0.map { Array($0) } }
            check(remarks.grouped(by: \.bytes), whole, seed) { Array($0) }
            let linked: [[UInt8]?] = [nil] + given.dropLast()
            check(remarks.grouped(by: \.next?.maybe), linked, seed) { $0.map { Array($0.utf8) } }
        }
    }

    private static let few: [[String?]] = [
        [nil], [nil, "a"], ["a", nil], ["a", nil, "b", nil, "a"], ["", nil], [nil, ""],
        ["\u{0}\u{0}", "", nil, "\u{0}", ""],
    ]

    @Test(arguments: few)
    func nilIsAGroupOfItsOwnThatStandsFirst(_ texts: [String?]) async throws {
        try await withFreshRealm([Remark.self]) { realm in
            try await realm.write { tx in
                for text in texts {
                    let remark = Remark()
                    remark.maybe = text
                    try tx.add(remark)
                }
            }
            let given = texts.map { $0.map { Array($0.utf8) } }
            check(realm.objects(Remark.self).grouped(by: \.maybe), given, 0) {
                $0.map { Array($0.utf8) }
            }
        }
    }

    /// Half of a hash is kept, and these have the same half.
    @Test func numbersWhoseHashesAreAlikeAreGroupsOfTheirOwn() async throws {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var inverse = factor
        for _ in 0..<6 { inverse &*= 2 &- factor &* inverse }
        let unit = inverse
        #expect(unit &* factor == 1)
        let numbers = (0..<500).map { Int(truncatingIfNeeded: unit &* UInt64($0)) }
        try await withFreshRealm([Remark.self]) { realm in
            try await realm.write { tx in
                for number in numbers + numbers {
                    let remark = Remark()
                    remark.number = number
                    try tx.add(remark)
                }
            }
            let groups = realm.objects(Remark.self).grouped(by: \.number).count()
            #expect(groups.map(\.key) == numbers.sorted())
            #expect(groups.allSatisfy { $0.value == 2 })
        }
    }

    /// Those of the table that have no objects any more, among them that of nil.
    @Test func groupsThatWentComeBackInTheStream() async throws {
        var rounds: [[String?]] = [["a"], [], [nil], ["a", "", nil], [], ["a", "\u{0}", "zz"]]
        for round in 0..<8 {
            rounds.append((0..<25).map { "\(round) \($0)" })
        }
        rounds += [[], [nil, "a", "3 7", "zz"]]
        try await withFreshRealm([Remark.self]) { realm in
            try await realm.write { tx in
                for _ in 0..<300 {
                    let remark = Remark()
                    (remark.maybe, remark.number) = ("z", -1)
                    try tx.add(remark)
                }
            }
            var stream = realm.objects(Remark.self).grouped(by: \.maybe)
                .changes(.count, .max(of: \.number)).makeAsyncIterator()
            let first = try await stream.next()
            #expect(first?.map(\.key) == ["z"])
            for (round, texts) in rounds.enumerated() {
                try await realm.write { tx in
                    try tx.delete(tx.objects(Remark.self).where { $0.number >= 0 })
                    for text in texts {
                        let remark = Remark()
                        (remark.maybe, remark.number) = (text, round)
                        try tx.add(remark)
                    }
                }
                let next = try await stream.next()
                let found = try #require(next)
                let expected = realm.objects(Remark.self).grouped(by: \.maybe)
                    .aggregates(.count, .max(of: \.number))
                try #require(found.map(\.key) == expected.map(\.key), "round \(round)")
                #expect(found.map(\.value.0) == expected.map(\.value.0), "round \(round)")
                #expect(found.map(\.value.1) == expected.map(\.value.1), "round \(round)")
            }
        }
    }
}
