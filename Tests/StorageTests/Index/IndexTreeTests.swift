import StorageHarness
import Testing

@testable import Storage

/// Index trees, compared with a sorted array.
@Suite struct IndexTreeTests {
    /// Keys that produce leaves of every width, and change the width during edits.
    enum Keys: CaseIterable {
        case ascending
        case descending
        case narrow
        case wide
        case few
        case ends
        case clustered

        func next(_ number: Int, _ generator: inout SeededGenerator) -> UInt64 {
            switch self {
            case .ascending: 1 << 40 + UInt64(number)
            case .descending: 1 << 40 - UInt64(number) * 3
            case .narrow: UInt64.random(in: 1000...1600, using: &generator)
            case .wide: UInt64.random(in: 0...(.max), using: &generator)
            case .few: UInt64.random(in: 0...2, using: &generator)
            case .ends: [0, 1, .max, .max - 1, 1 << 63].randomElement(using: &generator) ?? 0
            case .clustered:
                UInt64.random(in: 0...7, using: &generator) << 50
                    + UInt64.random(in: 0...90_000, using: &generator)
            }
        }
    }

    @Test(arguments: Keys.allCases, testSeeds(2))
    func randomOperationsAgreeWithASortedArray(_ keys: Keys, _ seed: UInt64) {
        let account = NodeAccount()
        var generator = SeededGenerator(seed: seed)
        var index = IndexHarness(account)
        var number = 0
        func entry(_ generator: inout SeededGenerator) -> IndexEntry {
            number += 1
            let isFar = Int.random(in: 0..<50, using: &generator) == 0
            let row = isFar ? Int64.random(in: 0...(.max), using: &generator) : Int64(number)
            return IndexEntry(key: keys.next(number, &generator), row: row)
        }
        for round in 0..<10 {
            if Int.random(in: 0..<2, using: &generator) == 0 { index.capture() }
            for _ in 0..<Int.random(in: 1...300, using: &generator) {
                let present = index.model.randomElement(using: &generator)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...5: index.insert(entry(&generator))
                case 6: index.remove(entry(&generator))
                default: if let present { index.remove(present) }
                }
            }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let count = Int.random(in: 1...1500, using: &generator)
                index.insert(all: (0..<count).map { _ in entry(&generator) })
            case 1:
                let kept = Int64.random(in: 1...4, using: &generator)
                index.removeAll { $0.row % kept != 0 }
            case 2: index.dropSnapshot()
            default: break
            }
            index.check("SEED=\(seed), \(keys), round \(round)")
        }
        while let last = index.model.randomElement(using: &generator) { index.remove(last) }
        #expect(index.node == nil)
        index.finish()
        #expect(account.nodeCount == 0)
        #expect(account.byteCount == 0)
    }

    /// A link that occurs many times has one entry for each occurrence.
    @Test func equalEntriesAreKeptAndRemovedOneByOne() {
        let account = NodeAccount()
        var index = IndexHarness(account)
        for number in 0..<900 { index.insert(IndexEntry(key: 7, row: Int64(number % 2))) }
        index.check("900 entries of two kinds")
        for _ in 0..<449 { index.remove(IndexEntry(key: 7, row: 0)) }
        index.check("one entry of a kind left")
        index.remove(IndexEntry(key: 7, row: 0))
        index.remove(IndexEntry(key: 7, row: 0))
        #expect(index.model.count == 450)
        index.check("only the other kind left")
        index.finish()
        #expect(account.nodeCount == 0)
    }

    @Test func consecutiveKeysTakeLessThanThreeBytesEach() {
        let account = NodeAccount()
        var index = IndexHarness(account)
        let before = account.byteCount
        let count = 40_000
        index.insert(all: (0..<count).map { IndexEntry(key: 1 << 63 + UInt64($0), row: Int64($0)) })
        #expect(account.byteCount - before < count * 3)
        index.finish()
        #expect(account.byteCount == 0)
    }

    @Test func randomKeysTakeTwelveBytesAndAFraction() {
        let account = NodeAccount()
        var generator = SeededGenerator(seed: 1)
        var index = IndexHarness(account)
        let before = account.byteCount
        let count = 40_000
        let rows = (0..<Int64(count)).shuffled(using: &generator)
        index.insert(
            all: rows.map {
                IndexEntry(key: .random(in: 0...(.max), using: &generator), row: $0)
            })
        #expect(Double(account.byteCount - before) < Double(count) * 12.7)
        index.finish()
        #expect(account.byteCount == 0)
    }

    /// A leaf that only its writer has is edited in place.
    @Test func insertingInPlaceMakesNoNodes() throws {
        let account = NodeAccount()
        var index = IndexHarness(account)
        index.insert(all: (0..<2000).map { IndexEntry(key: UInt64($0) << 40, row: Int64($0)) })
        index.insert(IndexEntry(key: 5 << 40, row: 9000))
        let before = try #require(index.node)
        let (nodes, bytes) = (account.nodeCount, account.byteCount)
        for number in 0..<8 { index.insert(IndexEntry(key: 6 << 40, row: Int64(9001 + number))) }
        #expect(index.node == before)
        #expect(account.nodeCount == nodes)
        #expect(account.byteCount == bytes)
        index.check("eight entries in place")
        index.finish()
    }

    /// If all entries are of one row, the rows take no bytes: they begin where the node ends.
    @Test(arguments: [[7], Array(0..<8)] as [[UInt64]])
    func lookupsStayWithinTheirLeaf(_ keys: [UInt64]) {
        let account = NodeAccount(guardsNodes: true)
        let entries = keys.map { IndexEntry(key: $0, row: 5) }
        let leaf = IndexLeaf.make(exactly: entries[...], .passUnretained(account))
        #expect(leaf.node.size == IndexLeaf.dataOffset + leaf.capacity * leaf.keyWidth)
        let reader = IndexReader(root: leaf.node, order: .exact)
        for (place, key) in keys.enumerated() {
            let probe = IndexProbe(key: key)
            #expect(reader.first(equalTo: probe)?.row == 5)
            #expect(reader.rows(equalTo: probe).keys == [RowKey(5)])
            #expect(leaf.lowerBound(key, .grouped) == place)
        }
        leaf.node.release()
        #expect(account.nodeCount == 0)
    }
}
