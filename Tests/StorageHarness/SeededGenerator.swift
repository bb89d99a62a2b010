import Foundation

/// The generator that tests and the simulated disk draw from, SplitMix64. What a test draws can be
/// drawn again: `SEED=n swift test --filter X`.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64
    /// What it began with.
    package let seed: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Begins with the `SEED` of the environment, or with any.
    package init() {
        let given = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? UInt64.random(in: 1..<1_000_000))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in 0 ..< limit.
    package mutating func next(below limit: Int) -> Int {
        Int(next() % UInt64(limit))
    }

    /// True once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool { next(below: count) == 0 }
}
