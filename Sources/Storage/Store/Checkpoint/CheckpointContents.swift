/// The contents of a checkpoint besides the tree: the schema, and the usage of the page segments.
/// It is a blob in the page files:
///
///     u8 format, 1; schema as in a commit record, with versions of terms; varint page segments,
///     then for each: varint index, varint length, varint live bytes; the indexes ascend
struct CheckpointContents: Equatable {
    private static let format: UInt8 = 1

    var schema: StoreSchema
    /// In the order of their indexes.
    var segments: [PageSegment]

    func encode() -> [UInt8] {
        let buffer = CommitGroupBuffer()
        do {
            try buffer.append(version: .zero) { (writer) throws(StorageError) in
                writer.write(Self.format)
                SchemaCodec.encode(schema, of: .tree, into: &writer)
                writer.writeVarint(UInt64(segments.count))
                for segment in segments {
                    writer.writeVarint(UInt64(segment.index.rawValue))
                    writer.writeVarint(UInt64(clamping: segment.length))
                    // A count that was read may be too low, so subtracting dead nodes may make it
                    // negative.
                    writer.writeVarint(UInt64(clamping: segment.live))
                }
            }
            var records = GroupRecords(UnsafeRawBufferPointer(buffer.payload))
            return try records.next().map { Array($0.payload) } ?? []
        } catch {
            preconditionFailure("A record just written does not read: \(error)")
        }
    }

    init(schema: StoreSchema, segments: [PageSegment]) {
        self.schema = schema
        self.segments = segments
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(RecordError) {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == Self.format else {
            throw .malformed("a checkpoint of an unknown format")
        }
        schema = try SchemaCodec.decode(&reader, of: .tree)
        segments = []
        for _ in 0..<(try reader.count(of: 3)) {
            guard let number = UInt32(exactly: try reader.varint()), PageIndex(number) < .end
            else { throw .malformed("number out of range") }
            guard segments.last.map({ $0.index < PageIndex(number) }) ?? true else {
                throw .malformed("page segments that do not ascend")
            }
            let segment = PageSegment(
                index: PageIndex(number), length: try reader.int(), live: try reader.int())
            guard (0...PageSegment.lengthMax).contains(segment.length),
                (0...segment.length).contains(segment.live)
            else { throw .malformed("a page segment of impossible size") }
            segments.append(segment)
        }
    }
}
