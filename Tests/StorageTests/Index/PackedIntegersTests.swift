import StorageHarness
import Testing

@testable import Storage

/// Searching a packed array is compared with a linear search.
@Suite struct PackedIntegersTests {
    /// Values from evenly spread to all equal, of each width, some with gaps at the ends.
    @Test(arguments: [1, 2, 4, 8]) func lowerBoundIsTheFirstNotBelow(_ width: Int) {
        var random = SeededGenerator(seed: UInt64(width))
        let limit = PackedIntegers.limit(width)
        for round in 0..<400 {
            let count = Int.random(in: 1...256, using: &random)
            let span = [1, 3, limit / 1000, limit / 3, limit][round % 5]
            let start = UInt64.random(in: 0...(limit - span), using: &random)
            let values = (0..<count).map { _ in
                start + UInt64.random(in: 0...span, using: &random)
            }.sorted()
            let buffer = AlignedBuffer(capacity: (count * width).roundedUpTo8)
            let array = buffer.bytes.baseAddress.unsafelyUnwrapped
            for (index, value) in values.enumerated() {
                PackedIntegers.store(array, width, index, value)
            }
            for _ in 0..<40 {
                let near = values.randomElement(using: &random) ?? 0
                let target =
                    Bool.random(using: &random)
                    ? near &+ UInt64.random(in: 0...2, using: &random)
                    : UInt64.random(in: 0...limit, using: &random)
                let expected = values.firstIndex { $0 >= target } ?? count
                for guess in [nil, 0, count / 2, count - 1, count, min(expected, count - 1)] {
                    let found = PackedIntegers.lowerBound(
                        array, width, count, target, near: guess)
                    #expect(found == expected, "\(values) \(target) near \(guess)")
                }
            }
        }
    }
}
