import Storage

/// One thing that someone does to an encrypted store who has its files and not its key. Checksums
/// are made right afterwards, wherever there are any.
package enum Tamper: Int, CaseIterable, Sendable {
    case flipsSealedByte, flipsFrameHeader, swapsFrames, replaysFrame, splicesFrame, cutsLog
    case editsSegmentHeader, editsSuperblock, saysItIsPlain, editsKey
    case flipsNode, movesNode, swapsPageFiles

    /// Does it to `disk`. `other` is a store with the same key of the user's. Returns false when
    /// there is nothing there to do it to.
    package func apply(
        to disk: SimulatedDisk, other: SimulatedDisk, _ random: inout SeededGenerator
    ) throws -> Bool {
        switch self {
        case .flipsSealedByte, .flipsFrameHeader, .swapsFrames, .replaysFrame, .splicesFrame,
            .cutsLog, .editsSegmentHeader:
            try tamperWithLog(disk, other, &random)
        case .editsSuperblock, .saysItIsPlain, .editsKey:
            try tamperWithSlots(disk, &random)
        case .flipsNode, .movesNode, .swapsPageFiles:
            try tamperWithPages(disk, &random)
        }
    }

    // MARK: The log

    private func tamperWithLog(
        _ disk: SimulatedDisk, _ other: SimulatedDisk, _ random: inout SeededGenerator
    ) throws -> Bool {
        var log = try ForgedLog(disk)
        guard !log.frames.isEmpty else { return false }
        let number = random.next(below: log.frames.count)
        let frame = log.frames[number]
        var bytes = log[frame]
        switch self {
        case .flipsSealedByte:
            guard !frame.payload.isEmpty else { return false }
            let place = frame.payload.lowerBound + random.next(below: frame.payload.count)
            bytes[place] ^= 1 << UInt8(random.next(below: 8))
        case .flipsFrameHeader:
            // Kind, flags, version, what was synced: not the length and the position, which
            // checksums are not needed to find wrong.
            let place = [0, 1, 8, 9, 24, 25][random.next(below: 6)]
            bytes[frame.offset + place] ^= 1 << UInt8(random.next(below: 3))
        case .swapsFrames, .replaysFrame:
            let alike = log.frames.filter {
                $0.payload.count == frame.payload.count && $0.offset != frame.offset
            }
            guard !alike.isEmpty, frame.payload.count > 16 else { return false }
            let twin = alike[random.next(below: alike.count)]
            let (mine, others) = (Array(bytes[frame.payload]), Array(log[twin][twin.payload]))
            if mine == others { return false }
            bytes.replaceSubrange(frame.payload, with: others)
            log[frame] = bytes
            if self == .swapsFrames {
                var twins = log[twin]
                twins.replaceSubrange(twin.payload, with: mine)
                log[twin] = twins
            }
            try log.write(to: disk, from: 0)
            return true
        case .splicesFrame:
            let foreign = try ForgedLog(other)
            let alike = foreign.frames.filter {
                $0.payload.count == frame.payload.count && $0.payload.count > 16
            }
            guard !alike.isEmpty else { return false }
            let twin = alike[random.next(below: alike.count)]
            bytes.replaceSubrange(frame.payload, with: foreign[twin][twin.payload])
        case .cutsLog:
            let isWhole = random.oneIn(2)
            let start = isWhole ? frame.offset : frame.offset + 8 * random.next(below: 8)
            for index in start..<bytes.count { bytes[index] = 0 }
        default:
            let segment = random.next(below: log.segmentCount)
            let field = [12, 32, 40, 48, 64, 80][random.next(below: 6)]
            log.edit(segment: segment) { $0[field] ^= 1 << UInt8(random.next(below: 3)) }
            try log.write(to: disk, from: log.frames.count)
            return true
        }
        log[frame] = bytes
        try log.write(to: disk, from: self == .cutsLog ? log.frames.count : number)
        return true
    }

    // MARK: Superblock and key

    private func tamperWithSlots(
        _ disk: SimulatedDisk, _ random: inout SeededGenerator
    ) throws -> Bool {
        let name = self == .editsKey ? "/key" : "/superblock"
        guard let path = disk.files.map(\.path).first(where: { $0.hasSuffix(name) }) else {
            return false
        }
        var bytes = try disk.contents(of: path)
        let size = self == .editsKey ? 144 : 288
        // Generation, UUID, where the checkpoint stands, what it says; or salt, check and key.
        let fields =
            self == .editsKey ? Array(16..<144) : [16, 32] + Array(48..<58) + Array(64..<288)
        let field = fields[random.next(below: fields.count)]
        let bit = UInt8(1) << UInt8(random.next(below: 8))
        for slot in stride(from: 0, to: bytes.count, by: 4096) where bytes[slot] != 0 {
            if self == .saysItIsPlain {
                bytes[slot + 60] = 0
            } else {
                bytes[slot + field] ^= bit
            }
            bytes.store(bytes.hash(slot..<slot + size), at: slot + size)
        }
        try disk.replace(path, with: bytes)
        return true
    }

    // MARK: Page files

    private func tamperWithPages(
        _ disk: SimulatedDisk, _ random: inout SeededGenerator
    ) throws -> Bool {
        let paths = disk.files.map(\.path).filter { $0.hasSuffix(".pages") }.sorted()
        guard !paths.isEmpty else { return false }
        let path = paths[random.next(below: paths.count)]
        var bytes = try disk.contents(of: path)
        guard bytes.count > 128 else { return false }
        let place = 64 + random.next(below: bytes.count - 64)
        switch self {
        case .flipsNode:
            bytes[place] ^= 1 << UInt8(random.next(below: 8))
        case .movesNode:
            let length = min(8 * (1 + random.next(below: 64)), (bytes.count - 64) / 2 & ~7)
            guard length > 0 else { return false }
            let half = bytes.count - length
            bytes.replaceSubrange(half..<bytes.count, with: bytes[64..<64 + length])
        default:
            let other = paths[random.next(below: paths.count)]
            var others = try disk.contents(of: other)
            guard other != path, others.count == bytes.count else { return false }
            // Each gets the number of the other, and is otherwise whole.
            for index in 12..<16 { (bytes[index], others[index]) = (others[index], bytes[index]) }
            for (path, content) in [(path, others), (other, bytes)] {
                var content = content
                content.store(content.hash(0..<56, seed: content.word(at: 16)), at: 56)
                try disk.replace(path, with: content)
            }
            return true
        }
        try disk.replace(path, with: bytes)
        return true
    }
}
