import Foundation

// Safety: libFuzzer lends the input for the length of the call, which copies it; every buffer is
// read through decoders that check it, which is what is tested.

/// Decodes the input as everything that stands in the files of a store beside records.
///
/// The first byte says which checksums are made to fit first, so that what is behind them is
/// reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 1 else { return 0 }
    let flags = data[0]
    let buffer = AlignedBuffer(capacity: (size - 1).roundedUpTo8)
    buffer.bytes.copyMemory(from: UnsafeRawBufferPointer(start: data + 1, count: size - 1))
    if flags & 1 != 0 { fixFrames(buffer.bytes) }
    if flags & 2 != 0 { fixFiles(buffer.bytes) }
    let bytes = UnsafeRawBufferPointer(buffer.bytes)
    decodeFrames(bytes)
    decodeFiles(bytes)
    return 0
}

private func decodeFrames(_ bytes: UnsafeRawBufferPointer) {
    var reader = FrameReader(FuzzSegment.database)
    reader.resume(in: FuzzSegment.salt)
    var groups = GroupAssembler(from: .begin)
    for offset in stride(from: 0, to: bytes.count, by: 8) {
        guard let sealed = try? reader.frame(in: bytes, at: offset),
            let frame = sealed.open(in: nil)
        else { continue }
        precondition(offset + frame.header.frameSize <= bytes.count)
        precondition(frame.header.endPosition.rawValue != frame.header.position.rawValue)
        let place = FramePlace(segment: .first, path: "", offset: offset)
        guard let group = (try? groups.take(frame, at: place)) ?? nil else { continue }
        var records = GroupRecords(group.commits)
        var total = 0
        while let record = try? records.next() { total += record.payload.count }
        precondition(total <= group.commits.count)
    }
    var records = GroupRecords(bytes)
    while let record = try? records.next() {
        precondition(record.offset + record.payload.count <= bytes.count)
    }
}

private func decodeFiles(_ bytes: UnsafeRawBufferPointer) {
    _ = SegmentHeaderReading(bytes)
    _ = SuperblockReading(bytes)
    _ = Horizon(bytes, database: FuzzSegment.database)
    var reader = ByteReader(bytes)
    _ = try? SchemaCodec.decode(&reader)
    _ = MixedCodec.decode(bytes)
}

/// Makes the checksums of what looks like a frame at any 8-byte step fit.
private func fixFrames(_ bytes: UnsafeMutableRawBufferPointer) {
    var offset = 0
    while offset + FrameHeader.size <= bytes.count {
        let headerBytes = bytes.slice(offset..<offset + FrameHeader.size)
        guard var header = FrameHeader(UnsafeRawBufferPointer(headerBytes)),
            header.frameSize <= bytes.count - offset
        else {
            offset += 8
            continue
        }
        let start = offset + FrameHeader.size
        let payload = bytes.slice(start..<start + Int(header.payloadLength))
        var key = FuzzSegment.key
        if header.kind == .epoch, payload.count == EpochPayload.size {
            let salt = EpochPayload(UnsafeRawBufferPointer(payload)).salt
            key = FrameKey(salt: salt, database: FuzzSegment.database)
        }
        header.payloadChecksum = key.payloadChecksum(UnsafeRawBufferPointer(payload))
        _ = header.encode(into: headerBytes, key: key)
        offset += header.frameSize
    }
}

/// Makes the checksums of superblock, segment header and horizon fit, one of which it may be.
private func fixFiles(_ bytes: UnsafeMutableRawBufferPointer) {
    let read = UnsafeRawBufferPointer(bytes)
    if bytes.count >= Superblock.contentSize, read.integer(at: 0) == Superblock.magic {
        bytes.store(XXH64.hash(read.slice(0..<192)), at: 192)
    } else if bytes.count >= SegmentHeader.size, read.integer(at: 0) == SegmentHeader.magic {
        let seed: UInt64 = read.integer(at: 16)
        bytes.store(XXH64.hash(read.slice(0..<120), seed: seed), at: 120)
    } else if bytes.count >= Horizon.size {
        let hash = XXH64.hash(read.slice(0..<24), seed: FuzzSegment.database.low)
        bytes.store(hash, at: 24)
    }
}

/// Called by libFuzzer before it begins: writes the first inputs when asked to.
@_cdecl("LLVMFuzzerInitialize")
public func prepareFrames(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer
) -> CInt {
    var segment = FuzzSegment()
    for (index, record) in [[1, 2, 3], [], [UInt8](repeating: 7, count: 90)].enumerated() {
        segment.append(record: record, version: Version(UInt64(index + 1)))
    }
    segment.append(.part, [UInt8](repeating: 1, count: 16), version: Version(4))
    segment.append(
        .group, flags: 1, [UInt8](repeating: 0, count: 32), version: Version(4))
    segment.append(.seal, [], version: Version(4))
    var block = [UInt8](repeating: 0, count: 2 * Superblock.slotSize)
    block.withUnsafeMutableBytes { Superblock(database: FuzzSegment.database).encode(into: $0) }
    var horizon = [UInt8](repeating: 0, count: Horizon.size)
    horizon.withUnsafeMutableBytes {
        Horizon(visible: .zero, synced: .zero, syncedHash: .none)
            .encode(into: $0, database: FuzzSegment.database)
    }
    FuzzSeeds.writeIfAsked([
        ("segment", [3] + segment.bytes),
        ("frames", [1] + segment.bytes.dropFirst(SegmentHeader.size)),
        ("superblock", [2] + block.prefix(Superblock.contentSize)),
        ("horizon", [2] + horizon),
    ])
    return 0
}
