import Testing

@testable import Storage

/// Page files with invalid nodes behind valid hashes. Each of them ended the process, or made it
/// read memory beyond the node.
@Suite struct CraftedPagesTests {
    typealias P = CraftedPages

    /// Crafts a file, reads all of it, and expects that the store detects the damage.
    private func refuse(
        _ what: Comment, at location: SourceLocation = #_sourceLocation,
        _ craft: (inout CraftedPages) -> Void
    ) throws {
        var pages = try CraftedPages.sound()
        craft(&pages)
        pages.fix()
        for verifiesFirst in [false, true] {
            let account = NodeAccount(guardsNodes: true)
            do {
                let snapshot = try pages.load(account)
                if verifiesFirst {
                    let problems = HostileReading.verify(snapshot)
                    #expect(!problems.isEmpty, what, sourceLocation: location)
                }
                HostileReading.read(snapshot.view)
                guard case .corrupted? = account.failure else {
                    Issue.record(what, sourceLocation: location)
                    continue
                }
            } catch StorageError.corrupted {
                continue
            }
        }
    }

    @Test func theUnchangedFileIsReadCompletely() throws {
        var pages = try CraftedPages.sound()
        pages.fix()
        let account = NodeAccount()
        let snapshot = try pages.load(account)
        HostileReading.read(snapshot.view)
        #expect(account.failure == nil)
        #expect(HostileReading.verify(snapshot).isEmpty)
    }

    @Test func segmentsOfImpossibleNumbersAndSizes() throws {
        let account = NodeAccount()
        let most = PageSegment.lengthMax
        let cases: [(index: UInt32, length: Int, live: Int, isSound: Bool)] = [
            (.max, 0, 0, false), (.max - 1, most, most, true), (1, -1, 0, false),
            (1, most, most + 1, false), (1, .max, .max, false), (1, 10, -1, false),
        ]
        for (index, length, live, isSound) in cases {
            var pages = try CraftedPages.sound()
            let contents = CheckpointContents(schema: P.schema, segments: []).encode()
            // Its last byte is the number of segments.
            var crafted = Array(contents.dropLast()) + [1]
            let numbers = [
                UInt64(index), UInt64(bitPattern: Int64(length)), UInt64(bitPattern: Int64(live)),
            ]
            for number in numbers {
                var rest = number
                while rest > 0x7F {
                    crafted.append(UInt8(rest & 0x7F) | 0x80)
                    rest >>= 7
                }
                crafted.append(UInt8(rest))
            }
            let blob = pages.append(blob: crafted)
            let end = LogEnd(position: .zero, hash: .none, salt: .zero, segment: .first)
            let record = CheckpointRecord(
                version: Version(1), replayStart: end, root: pages.root, contents: blob)
            let store = try pages.open(account)
            do {
                let (_, described) = try StoreOpening.load(record, from: store, account)
                #expect(isSound)
                let contents = Checkpointer.Contents(record, described)
                _ = contents.live + contents.length
                let checkpointer = Checkpointer(pages: store, contents: contents)
                // The greatest possible number was in use.
                #expect(throws: StorageError.self) { try store.create() }
                _ = checkpointer.contents
            } catch StorageError.corrupted {
                #expect(!isSound, "\(index) \(length) \(live)")
            }
        }
    }

    /// Each was inserted before all others, which takes forever if there are many.
    @Test func segmentsThatDoNotAscend() throws {
        for (numbers, isSound) in [([1, 2], true), ([2, 1], false), ([1, 1], false)] {
            let segments = numbers.map {
                PageSegment(index: PageIndex(UInt32($0)), length: 100, live: 10)
            }
            let contents = CheckpointContents(schema: P.schema, segments: segments)
            let bytes = contents.encode()
            // Safe: lent for the call, which copies what it reads.
            let read = Result { try bytes.withUnsafeBytes { try CheckpointContents($0) } }
            if isSound {
                #expect(try read.get().segments == segments)
            } else {
                #expect(throws: RecordError.self) { try read.get() }
            }
        }
    }

    @Test func placesBehindTheLastSegment() {
        for segment in [UInt32.max, UInt32.max - 1] {
            let address = UInt64(segment) << 32 | 8
            let place = NodePlace(address: address, length: 64, tag: 1, hash: 0)
            #expect((place == nil) == (segment == .max))
        }
        #expect(
            NodePlace(address: 1 << 32 | 0xFFFF_FFFF, length: 64, tag: 1, hash: 0) == nil)
    }

    @Test func chunksThatAreShorterThanTheirCluster() throws {
        for column in [P.title, P.list, P.firstScalar + 4] {
            try refuse("column \(column)") { pages in
                let chunk = pages.child(pages.cell(column))
                pages.store(UInt32(0), at: chunk + 32)
            }
        }
        try refuse("a cluster with more slots") { pages in
            let cluster = pages.cluster()
            pages.store(UInt16(200), at: cluster + 32)
        }
    }

    /// The cell of a column refers to the chunk of another column.
    @Test func chunksOfOtherColumns() throws {
        // Of the clusters, the first has a list and the third a map.
        for (cluster, columns) in [
            (0, [P.title, P.double, P.list]),
            (2, [P.title, P.map, P.firstScalar + 1, P.firstScalar + 4, P.firstScalar + 5]),
        ] {
            for target in columns {
                for source in columns where source != target {
                    try refuse("\(source) in \(target)") { pages in
                        pages.redirect(
                            pages.cell(target, of: cluster), to: pages.cell(source, of: cluster))
                    }
                }
            }
        }
    }

    @Test func elementsOfOtherKinds() throws {
        try refuse("texts as links") { pages in
            let texts = pages.child(pages.cell(P.texts)) + Chunk.dataOffset
            pages.redirect(pages.child(pages.cell(P.list)) + Chunk.dataOffset, to: texts)
        }
        try refuse("a map as a list") { pages in
            let map = pages.child(pages.cell(P.map, of: 2)) + Chunk.dataOffset
            pages.redirect(pages.child(pages.cell(P.list)) + Chunk.dataOffset, to: map)
        }
        try refuse("a list as a map") { pages in
            let list = pages.child(pages.cell(P.list)) + Chunk.dataOffset
            pages.redirect(pages.child(pages.cell(P.map, of: 2)) + Chunk.dataOffset, to: list)
        }
        try refuse("values as keys") { pages in
            let map = pages.child(pages.child(pages.cell(P.map, of: 2)) + Chunk.dataOffset)
            let list = pages.child(pages.cell(P.list)) + Chunk.dataOffset
            pages.redirect(
                map + MapRoot.slotsOffset,
                to: pages.child(list) + SequenceBranch.slotsOffset)
        }
    }

    @Test func countsThatDisagreeWithTheChildren() throws {
        for count in [0, 2, 200, 1 << 40, Int.max, -1] {
            try refuse("clusters \(count)") { pages in
                pages.store(count, at: pages.lowBranch + ClusterBranch.countsOffset + 8)
            }
            try refuse("branches \(count)") { pages in
                pages.store(count, at: pages.tree + ClusterBranch.countsOffset)
            }
            try refuse("the tree \(count)") { pages in
                pages.store(count, at: pages.classRoot + 32)
            }
            try refuse("elements \(count)") { pages in
                let list = pages.child(
                    pages.child(pages.cell(P.list)) + Chunk.dataOffset)
                pages.store(count, at: list + SequenceBranch.countsOffset)
            }
            try refuse("entries \(count)") { pages in
                let index = pages.child(
                    pages.classRoot + ClassRoot.indexesOffset + P.number * Slot.size)
                pages.store(count, at: index + IndexBranch.entriesOffset)
            }
        }
        try refuse("live rows") { pages in
            pages.store(UInt16(2), at: pages.cluster() + 34)
        }
    }

    @Test func levelsThatAreNotOneLess() throws {
        for level in [UInt8(0), 1, 3, 64, 255] {
            try refuse("\(level)") { pages in
                pages.bytes[pages.tree + 5] = level
            }
        }
        try refuse("the class's") { pages in pages.bytes[pages.classRoot + 5] = 7 }
    }

    @Test func keysThatDoNotAscend() throws {
        try refuse("in a branch") { pages in
            pages.store(Int64(0), at: pages.lowBranch + ClusterBranch.keysOffset + 8)
        }
        try refuse("one child twice") { pages in
            let slots = pages.lowBranch + ClusterBranch.slotsOffset
            pages.redirect(slots + Slot.size, to: slots)
        }
        for key in [Int64.max, -1, 0] {
            try refuse("of the next row: \(key)") { pages in
                pages.store(key, at: pages.classRoot + 24)
            }
        }
    }

    @Test func classesWithOtherColumns() throws {
        for columns in [UInt32(0), 1, 1000, .max] {
            try refuse("\(columns)") { pages in
                pages.store(columns, at: pages.classRoot + 40)
            }
        }
    }

    /// The next row of a class would be written to columns that the class does not have, which
    /// ended the process.
    @Test func aNewestClusterWithMoreColumnsThanItsClass() throws {
        try refuse("a cluster of items as the newest of parts") { pages in
            let parts = pages.child(
                pages.root.address.offset + StoreRoot.slotsOffset + Slot.size)
            pages.redirect(
                parts + ClassRoot.newestOffset, to: pages.lowBranch + ClusterBranch.slotsOffset)
        }
    }

    @Test func textsThatAreLongerThanTheirBlob() throws {
        try refuse("a text") { pages in
            let view = pages.child(pages.cell(P.title, of: 1)) + Chunk.dataOffset
            pages.store(UInt32(1 << 20), at: view)
        }
    }

    /// A read beyond a node of these tests crashes.
    @Test func nodesEndAtAnInaccessiblePage() {
        let memory = NodeMemory(isGuarded: true)
        for byteCount in [64, 4096, 4104, 40_000] {
            let block = memory.allocate(byteCount)
            #expect((UInt(bitPattern: block) + UInt(byteCount)) % 4096 == 0)
            // Unsafe: the block has so many bytes.
            block.initializeMemory(as: UInt8.self, repeating: 0xAB, count: byteCount)
            memory.deallocate(block, byteCount)
        }
    }
}
