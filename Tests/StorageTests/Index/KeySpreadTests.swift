import StorageHarness
import Testing

@testable import Storage

/// An estimated position is always valid, and usually close to the right one.
@Suite struct KeySpreadTests {
    @Test(arguments: [KeySpread.even, .text, .grouped])
    func everyGuessIsBelowTheCount(_ spread: KeySpread) {
        var random = SeededGenerator(seed: 1)
        func number() -> UInt64 {
            let edges: [UInt64] = [0, 1, 31, 32, 1 << 63, .max - 1, .max]
            return Bool.random(using: &random)
                ? random.next() : edges.randomElement(using: &random) ?? 0
        }
        for _ in 0..<10_000 {
            let count = Int.random(in: 1...256, using: &random)
            let (key, first, last) = (number(), number(), number())
            let place = spread.place(of: key, from: first, to: last, count)
            #expect(place >= 0 && place < count, "\(key) in \(first)...\(last) of \(count)")
        }
    }

    @Test func evenKeysAreGuessedExactly() {
        let keys = (0..<200).map { UInt64(1 << 40) + $0 * 1000 }
        for (index, key) in keys.enumerated() {
            let guess = KeySpread.even.place(of: key, from: keys[0], to: keys[0] + 200_000, 200)
            #expect(abs(guess - index) <= 1)
        }
    }

    /// A leaf of an index of a million random texts.
    @Test func mostTextsAreGuessedNearby() {
        var random = SeededGenerator(seed: 2)
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        func key(_ third: ClosedRange<Int>) -> UInt64 {
            var bytes = Array("qx".utf8) + [letters[Int.random(in: third, using: &random)]]
            for _ in 0..<5 { bytes.append(letters.randomElement(using: &random) ?? 0) }
            return bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        let keys = (0...250).map { _ in key(7...11) }.sorted()
        let nearby = keys.dropLast().enumerated().filter { index, key in
            let guess = KeySpread.text.place(of: key, from: keys[0], to: keys[250], 250)
            return abs(guess - index) < PackedIntegers.nearby / 2
        }
        #expect(nearby.count > 225)
    }
}
