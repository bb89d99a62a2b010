import Testing

@testable import Storage

// Safety: payloads are read while the groups that hold them are alive.

/// Groups from frames: whole ones, parts, abandoned parts, and parts whose beginning is missing.
@Suite struct GroupAssemblerTests {
    private static let continues = FrameHeader.continuesParts

    /// The commits of a group.
    private static func commits(_ group: LogGroup) throws -> [TestCommit] {
        var commits: [TestCommit] = []
        try group.replay { commits.append(TestCommit($0)) }
        return commits
    }

    /// Appends a transaction in `count` parts, the last of which is the group.
    private static func append(
        _ payload: [UInt8], parts count: Int, to image: inout FrameImage, version: UInt64 = 1,
        flags: UInt8 = 0
    ) {
        let size = (payload.count / count) & ~7
        for number in 0..<count {
            let isLast = number == count - 1
            let end = isLast ? payload.count : (number + 1) * size
            image.append(
                isLast ? .group : .part,
                flags: (number == 0 ? 0 : continues) | (isLast ? flags : 0),
                Array(payload[number * size..<end]), version: version)
        }
    }

    /// Passes the frames of an image to the assembler in order; returns the completed groups.
    private static func take(
        _ image: FrameImage, _ groups: inout GroupAssembler
    ) throws -> [LogGroup?] {
        try zip(try image.frames(), image.offsets).map { frame, offset in
            try groups.take(frame, at: image.place(offset))
        }
    }

    @Test func aWholeGroupIsItsFrame() throws {
        var image = FrameImage()
        let commits = [TestCommit(1, length: 30), TestCommit(2, length: 0)]
        image.append(.group, try FrameImage.payload(commits))
        let frame = try #require(try image.frames().first)
        var groups = GroupAssembler(from: .begin)
        let group = try #require(try groups.take(frame, at: image.place(image.offsets[0])))
        #expect(try Self.commits(group) == commits)
        #expect(group.commits.baseAddress == frame.payload.bytes.baseAddress)
        #expect(group.end == image.end && groups.resumption == image.end)
        #expect(groups.lastSalt == FrameImage.salt)
    }

    @Test(arguments: [2, 3, 7])
    func partsAreJoined(count: Int) throws {
        var image = FrameImage()
        let commits = (1...5).map { TestCommit($0, length: 100) }
        image.append(.seal)
        let start = image.end
        Self.append(try FrameImage.payload(commits), parts: count, to: &image)
        var groups = GroupAssembler(from: .begin)
        let frames = try image.frames()
        for (number, frame) in frames.enumerated() {
            let group = try groups.take(frame, at: image.place(image.offsets[number]))
            #expect((group != nil) == (number == count))
            #expect(groups.hasOpenParts == (1..<count).contains(number))
            #expect(groups.resumption == (number == count ? image.end : start))
            if let group { #expect(try Self.commits(group) == commits) }
        }
        #expect(groups.abandonedBytes == 0)
    }

    /// A group retains its own bytes: later frames do not change them.
    @Test func aGroupOutlivesLaterFrames() throws {
        var image = FrameImage()
        let (first, second) = ([TestCommit(1, length: 90)], [TestCommit(2, length: 90)])
        Self.append(try FrameImage.payload(first), parts: 2, to: &image)
        Self.append(try FrameImage.payload(second), parts: 2, to: &image, version: 2)
        var groups = GroupAssembler(from: .begin)
        let made = try Self.take(image, &groups).compactMap { $0 }
        #expect(try made.map(Self.commits) == [first, second])
    }

    @Test(arguments: [FrameKind.abandon, .part, .group])
    func partsThatAreNotContinuedAreAbandoned(by kind: FrameKind) throws {
        var image = FrameImage()
        let payload = try FrameImage.payload([TestCommit(1, length: 80)])
        image.append(.part, [UInt8](repeating: 7, count: 64))
        switch kind {
        case .abandon: image.append(.abandon)
        case .part: Self.append(payload, parts: 2, to: &image)
        default: image.append(.group, payload)
        }
        var groups = GroupAssembler(from: .begin)
        let made = try Self.take(image, &groups).compactMap { $0 }
        #expect(groups.abandonedBytes == 64 && !groups.hasOpenParts)
        #expect(groups.resumption == image.end)
        #expect(
            try made.map(Self.commits) == (kind == .abandon ? [] : [[TestCommit(1, length: 80)]]))
    }

    /// At the end of a log, and where frames are missing.
    @Test func aCallerMayAbandonParts() throws {
        var image = FrameImage()
        image.append(.part, [UInt8](repeating: 7, count: 64))
        var groups = GroupAssembler(from: .begin)
        let before = groups.abandon()
        _ = try Self.take(image, &groups)
        let (first, second) = (groups.abandon(), groups.abandon())
        #expect(!before && first && !second)
        #expect(groups.abandonedBytes == 64)
    }

    /// A continuation without earlier parts is reported, and cannot be continued itself.
    @Test func aContinuationWithoutPartsIsAnOrphan() throws {
        var groups = GroupAssembler(from: .begin)
        for kind in [FrameKind.part, .group] {
            var image = FrameImage()
            image.append(kind, flags: Self.continues, [UInt8](repeating: 7, count: 64))
            let orphan = #expect(throws: GroupAssembler.Orphan.self) {
                try Self.take(image, &groups)
            }
            #expect(orphan?.kind == kind && !groups.hasOpenParts)
            // Neither is a transaction of another version valid.
            image = FrameImage()
            image.append(.part, [UInt8](repeating: 7, count: 64), version: 1)
            image.append(kind, flags: Self.continues, [UInt8](repeating: 7, count: 8), version: 2)
            #expect(throws: GroupAssembler.Orphan.self) { try Self.take(image, &groups) }
            #expect(!groups.hasOpenParts)
        }
        #expect(groups.abandonedBytes == 128)
    }

    /// Frames of other kinds between its parts do not end a transaction. The life of its commits is
    /// that of the epoch in which it ends.
    @Test func anEpochAmongPartsEndsNothing() throws {
        let commits = [TestCommit(1, length: 200)]
        let payload = try FrameImage.payload(commits)
        var image = FrameImage(salt: Bits128(low: 1, high: 1))
        image.appendEpoch()
        image.append(.part, Array(payload[..<64]))
        image.append(.seal)
        image.appendEpoch()
        image.append(.checkpoint, [UInt8](repeating: 0, count: 8))
        image.append(.group, flags: Self.continues, Array(payload[64...]))
        var groups = GroupAssembler(from: LogEnd(beginOf: image.segment))
        #expect(groups.lastSalt == Bits128(low: 1, high: 1))
        let made = try Self.take(image, &groups)
        #expect(try made.compactMap { $0 }.map(Self.commits) == [commits])
        #expect(made.last??.end.life == FrameImage.salt.low)
        #expect(groups.lastSalt == FrameImage.salt && groups.abandonedBytes == 0)
    }

    @Test(arguments: [1, 3])
    func theTreeOfAGroupIsThatOfItsLastCommit(parts: Int) throws {
        let record = FileFormatTests.record
        let tree = GroupTree(root: record.root, contents: record.contents)
        let commits = [TestCommit(1, length: 40), TestCommit(2, length: 40)]
        var image = FrameImage()
        Self.append(
            try FrameImage.payload(commits, tree), parts: parts, to: &image,
            flags: FrameHeader.holdsTree)
        var groups = GroupAssembler(from: .begin)
        let group = try #require(try Self.take(image, &groups).compactMap { $0 }.first)
        #expect(try Self.commits(group) == commits)
        #expect(
            try group.tree() == CheckpointRecord(tree, version: Version(2), end: image.end))
        #expect(!group.lacksTree)
    }

    @Test(arguments: [8, 48])
    func aTreeThatIsNowhereIsDamage(size: Int) throws {
        var image = FrameImage()
        image.append(.group, flags: FrameHeader.holdsTree, [UInt8](repeating: 0, count: size))
        var groups = GroupAssembler(from: .begin)
        let group = try #require(try Self.take(image, &groups).compactMap { $0 }.first)
        #expect(group.lacksTree && group.commits.isEmpty)
        #expect(throws: StorageError.self) { try group.tree() }
    }

    /// The location of a commit: in its frame, or in the frame that completes its group.
    @Test func damageIsFoundWhereTheFrameIs() throws {
        var image = FrameImage()
        image.append(.group, try FrameImage.payload([.init(1, length: 8), .init(2, length: 8)]))
        Self.append(
            try FrameImage.payload([.init(3, length: 80)]), parts: 2, to: &image, version: 3)
        var groups = GroupAssembler(from: .begin)
        let made = try Self.take(image, &groups).compactMap { $0 }
        let first = image.offsets[0] + FrameHeader.size + CommitGroupBuffer.recordHeaderSize
        for (group, offset) in zip(made, [first + 8 + 16, image.offsets[2]]) {
            let error = #expect(throws: StorageError.self) {
                try group.replay { commit in
                    if commit.version != Version(1) { throw RecordError.truncated }
                }
            }
            guard case .corrupted(_, let found, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(found == offset)
        }
    }
}
