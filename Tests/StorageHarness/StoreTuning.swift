import Storage

/// How a store under test is set up: what it writes as pages and what it keeps in memory.
package struct StoreTuning: Sendable, Hashable {
    package var pageCommitBytes = 8 << 20
    package var spillBytes = 16 << 20
    package var pageSegmentSize = 1 << 20
    package var memoryBudget = Int.max
    /// Whether transactions go on while a checkpoint is written.
    package var commitsAmidCheckpoints = false

    /// Kinds that differ in what they do: the tree is written by checkpoints alone, or by some
    /// commits, or by all; nodes stay in memory, or are read again and again.
    package static let kinds = [
        StoreTuning(),
        StoreTuning(
            pageCommitBytes: 700, spillBytes: 500, pageSegmentSize: 4_096, memoryBudget: 0),
        StoreTuning(pageSegmentSize: 2_048, memoryBudget: 0, commitsAmidCheckpoints: true),
        StoreTuning(
            pageCommitBytes: 4_000, spillBytes: 2_000, pageSegmentSize: 16_384,
            memoryBudget: 24_000),
        StoreTuning(pageCommitBytes: 0, pageSegmentSize: 8_192, memoryBudget: 8_000),
        StoreTuning(pageCommitBytes: 700, spillBytes: 4_000),
        StoreTuning(pageSegmentSize: 8_192, memoryBudget: 48_000, commitsAmidCheckpoints: true),
        StoreTuning(pageSegmentSize: 4_096, memoryBudget: 16_000),
    ]

    /// The kind that a seed gets.
    package static func kind(_ seed: UInt64) -> StoreTuning {
        var random = SeededGenerator(seed: ~seed)
        return kinds[random.next(below: kinds.count)]
    }

    func apply(to options: inout LogOptions) {
        options.pageCommitBytes = pageCommitBytes
        options.spillBytes = spillBytes
        options.pages.segmentSizeMin = min(options.pages.segmentSizeMin, pageSegmentSize)
        options.pages.segmentSizeGrown = pageSegmentSize
    }
}
