import Foundation
import Testing

@testable import Storage

// Safety: samples are arrays and nodes that the tests own; they are read within their sizes.

/// The offsets in the documentation of the file format are those of the code.
///
/// Each structure has a sample in which every field has a distinct value. A table is right if its
/// rows follow each other without gaps, it is as long as the structure, and each field of the
/// sample is at its offset.
@Suite struct FileFormatTests {
    /// A structure that the documentation has a table of.
    struct Structure: Sendable {
        /// Bytes of its fixed part, according to the code.
        let size: Int
        let bytes: [UInt8]
        /// The beginning of a field's description, and its bytes in the sample. Of fields with one
        /// value for each child or column, the first value.
        let fields: [(String, [UInt8])]
    }

    @Test func everyTableIsOfAKnownStructure() throws {
        let titles = try FormatTable.all().map(\.title)
        #expect(titles == titles.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        #expect(Set(titles) == Set(Self.structures.keys), "\(titles)")
    }

    @Test func fieldsFollowEachOtherToTheEnd() throws {
        for table in try FormatTable.all() {
            var end = 0
            for row in table.rows {
                #expect(row.offset == end, "\(table.title): \(row.field)")
                end = row.offset + (row.size ?? 0)
            }
            let structure = try #require(Self.structures[table.title], "\(table.title)")
            #expect(end == structure.size, "\(table.title) is \(structure.size) bytes long")
        }
    }

    @Test func everyFieldStandsWhereThePageSays() throws {
        for table in try FormatTable.all() {
            let structure = try #require(Self.structures[table.title], "\(table.title)")
            var left = structure.fields
            for row in table.rows {
                let end = row.size.map { row.offset + $0 } ?? structure.bytes.count
                let found = Array(structure.bytes[row.offset..<end])
                if row.isReserved {
                    #expect(found.allSatisfy { $0 == 0 }, "\(table.title): \(row.field)")
                    continue
                }
                let index = left.firstIndex { row.field.hasPrefix($0.0) }
                let field = try #require(
                    index.map { left.remove(at: $0) }, "\(table.title): \(row.field)")
                #expect(
                    found.starts(with: field.1) && field.1.contains { $0 != 0 },
                    "\(table.title): \(row.field) is \(found), not \(field.1)")
            }
            #expect(left.isEmpty, "\(table.title) says nothing of \(left.map(\.0))")
        }
    }

    // MARK: Samples

    static let structures: [String: Structure] = [
        "Superblock": superblock, "Segments": segment, "Frames": frame, "Epoch": epoch,
        "Checkpoint": checkpoint, "Group": group, "Group tree": groupTree, "Horizon": horizon,
        "Page segments": pageSegment, "Node": node, "Slot": slot, "Store root": storeRoot,
        "Class root": classRoot, "Cluster branch": clusterBranch, "Cluster": cluster,
        "The key": key, "Chunk": chunk, "View": view, "Index leaf": indexLeaf,
        "Index branch": indexBranch,
        "Sequence branch": sequenceBranch, "Map": map, "Commit record": commitRecord,
    ]

    static let database = Bits128(low: 0x1111_1111_1111_1111, high: 0x2222_2222_2222_2222)
    static let salt = Bits128(low: 0x3333_3333_3333_3333, high: 0x4444_4444_4444_4444)

    static func le<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    static func le(_ value: Bits128) -> [UInt8] { le(value.low) + le(value.high) }

    static func make(
        _ size: Int, _ encode: (UnsafeMutableRawBufferPointer) -> Void
    ) -> [UInt8] {
        let buffer = AlignedBuffer(capacity: size)
        encode(buffer.bytes.slice(0..<size))
        return [UInt8](UnsafeRawBufferPointer(buffer.bytes).slice(0..<size))
    }

    static let place = NodePlace(
        address: PageAddress(segment: PageIndex(5), offset: 640), length: 88, hash: 0x7766_5544,
        kind: .storeRoot, hasSlots: true)

    static let record = CheckpointRecord(
        version: Version(0x0A0B),
        replayStart: LogEnd(
            position: LogPosition(0x0C0D), hash: FrameHash(0x0E0F), salt: salt,
            segment: SegmentIndex(0x0607)),
        root: place,
        contents: NodePlace(
            address: PageAddress(segment: PageIndex(6), offset: 800), length: 96,
            hash: 0x1234_5678, kind: .blob, hasSlots: false))

    static func bytes(of place: NodePlace) -> [UInt8] {
        le(place.address.rawValue) + le(place.length) + le(place.tag) + le(place.hash)
    }

    static let checkpoint = Structure(
        size: CheckpointRecord.size,
        bytes: make(CheckpointRecord.size) { record.encode(into: $0) },
        fields: [
            ("version", le(UInt64(0x0A0B))), ("position", le(UInt64(0x0C0D))),
            ("hash", le(UInt64(0x0E0F))), ("salt", le(salt)), ("segment", le(UInt32(0x0607))),
            ("the tree's root", bytes(of: record.root)),
            ("likewise", bytes(of: record.contents)),
        ])

    static let groupTree = Structure(
        size: GroupTree.size,
        bytes: make(GroupTree.size) {
            GroupTree(root: record.root, contents: record.contents).encode(into: $0)
        },
        fields: [
            ("the tree's root", bytes(of: record.root)),
            ("likewise", bytes(of: record.contents)),
        ])

    static let superblock: Structure = {
        var superblock = Superblock(database: database)
        superblock.generation = 0x0102
        superblock.checkpoint = Superblock.Checkpoint(
            record: record, position: LogPosition(0x0908), segment: SegmentIndex(0x0304))
        let all = make(2 * Superblock.slotSize) { superblock.encode(into: $0) }
        var bytes = Array(all.prefix(Superblock.contentSize))
        let checksum = Array(bytes[Superblock.checkedSize...])
        // The reserved fields with other bytes: only their offsets are compared.
        for (offset, size, value) in [(24, 8, UInt8(1)), (60, 4, 2), (64, 32, 3)] {
            for byte in offset..<offset + size { bytes[byte] = value }
        }
        return Structure(
            size: Superblock.contentSize, bytes: bytes,
            fields: [
                ("magic", le(Superblock.magic)), ("format", le(StoreFormat.version)),
                ("generation", le(UInt64(0x0102))), ("features", [1]), ("UUID", le(database)),
                ("position", le(UInt64(0x0908))), ("segment", le(UInt32(0x0304))),
                ("encryption: algorithm", [2]), ("encryption: HMAC", [3]),
                ("the latest", checkpoint.bytes), ("XXH64", checksum),
            ])
    }()

    static let segment: Structure = {
        let header = SegmentHeader(
            index: SegmentIndex(7), database: database, firstPosition: LogPosition(0x0808),
            previousHash: FrameHash(0x0909), epochSalt: salt, lastVersion: Version(0x0A0A),
            algorithm: .aes256GCM)
        var bytes = make(SegmentHeader.size) { header.encode(into: $0) }
        let checksum = Array(bytes.suffix(8))
        for byte in 72..<80 { bytes[byte] = 1 }
        return Structure(
            size: SegmentHeader.size, bytes: bytes,
            fields: [
                ("magic", le(SegmentHeader.magic)), ("format", le(StoreFormat.version)),
                ("number", le(UInt32(7))), ("UUID", le(database)),
                ("position", le(UInt64(0x0808))), ("hash", le(UInt64(0x0909))),
                ("salt", le(salt)), ("version", le(UInt64(0x0A0A))), ("flags", [1]),
                ("encryption: algorithm", le(UInt32(1))), ("XXH64", checksum),
            ])
    }()

    static let key: Structure = {
        let file = KeyFile(
            database: database, salt: .init(repeating: 7, count: 32),
            check: .init(repeating: 8, count: 32), wrapped: .init(repeating: 9, count: 48))
        let all = make(KeyFile.fileSize) { file.encodeFile(into: $0) }
        let bytes = Array(all.prefix(KeyFile.contentSize))
        return Structure(
            size: KeyFile.contentSize, bytes: bytes,
            fields: [
                ("magic", le(KeyFile.magic)), ("format", le(StoreFormat.version)),
                ("algorithm", le(UInt32(1))), ("UUID", le(database)), ("salt", file.salt),
                ("key check", file.check), ("the wrapped data key", file.wrapped),
                ("XXH64", Array(bytes.suffix(8))),
            ])
    }()

    static let frame: Structure = {
        var header = FrameHeader(
            kind: .group, flags: 1, payloadLength: 0x0110, version: Version(0x0202),
            position: LogPosition(0x0303), syncedThrough: LogPosition(0x0404),
            previousHash: FrameHash(0x0505))
        header.payloadChecksum = 0x0606
        let key = FrameKey(salt: salt, database: database)
        var hash = FrameHash.none
        let bytes = make(FrameHeader.size) { hash = header.encode(into: $0, key: key) }
        return Structure(
            size: FrameHeader.size, bytes: bytes,
            fields: [
                ("kind", [2]), ("flags", [1]), ("length", le(UInt32(0x0110))),
                ("version", le(UInt64(0x0202))), ("position", le(UInt64(0x0303))),
                ("all bytes", le(UInt64(0x0404))), ("hash", le(UInt64(0x0505))),
                ("checksum of the payload", le(UInt64(0x0606))),
                ("checksum of the 48", le(hash.rawValue)),
            ])
    }()

    static let epoch = Structure(
        size: EpochPayload.size,
        bytes: make(EpochPayload.size) {
            EpochPayload(salt: salt, wallClock: 0x0707, processIdentifier: 0x0808)
                .encode(into: $0)
            $0.store(UInt64(5), at: EpochPayload.tagOffset)
        },
        fields: [
            ("salt", le(salt)), ("nanoseconds", le(UInt64(0x0707))),
            ("process", le(UInt32(0x0808))), ("encryption: tag", le(UInt64(5))),
        ])

    static let horizon: Structure = {
        let horizon = Horizon(
            visible: LogPosition(0x0101), synced: LogPosition(0x0202),
            syncedHash: FrameHash(0x0303))
        let bytes = make(Horizon.size) { horizon.encode(into: $0, database: database) }
        return Structure(
            size: Horizon.size, bytes: bytes,
            fields: [
                ("visible", le(UInt64(0x0101))), ("synced", le(UInt64(0x0202))),
                ("hash", le(UInt64(0x0303))), ("XXH64", Array(bytes.suffix(8))),
            ])
    }()

    static let group: Structure = {
        let group = CommitGroupBuffer()
        let isAppended: Void? = try? group.append(version: Version(0x0B0B)) {
            (writer) throws(StorageError) in
            for byte: UInt8 in [9, 8, 7] { writer.write(byte) }
        }
        let bytes =
            isAppended == nil ? [] : [UInt8](UnsafeRawBufferPointer(group.payload))
        return Structure(
            size: CommitGroupBuffer.recordHeaderSize, bytes: bytes,
            fields: [
                ("version", le(UInt64(0x0B0B))), ("length", le(UInt32(3))),
                ("commit record", [9, 8, 7, 0, 0, 0, 0, 0]),
            ])
    }()

    static let pageSegment: Structure = {
        let header = PageSegmentHeader(
            index: PageIndex(9), database: database, salt: salt, algorithm: .aes256GCM)
        let bytes = make(PageSegmentHeader.size) { header.encode(into: $0) }
        let checksum = Array(bytes.suffix(8))
        return Structure(
            size: PageSegmentHeader.size, bytes: bytes,
            fields: [
                ("magic", le(PageSegmentHeader.magic)),
                ("format", le(StoreFormat.version)), ("number", le(UInt32(9))),
                ("UUID", le(database)), ("salt", le(salt)),
                ("encryption: algorithm", le(UInt32(1))), ("XXH64", checksum),
            ])
    }()
}
