extension CommitRecord {
    /// The header of a record, before the optional schema.
    struct Header {
        private let flags: UInt8
        /// Seconds since 1970.
        let time: Double
        let author: String?

        init(_ reader: inout ByteReader) throws(RecordError) {
            guard try reader.integer(UInt8.self) == CommitRecord.format else {
                throw .malformed("unknown format of a commit record")
            }
            flags = try reader.integer(UInt8.self)
            time = Double(bitPattern: try reader.integer(UInt64.self))
            author = flags & CommitRecord.authorFlag != 0 ? try reader.string() : nil
        }

        func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
    }

    /// Writes the header of a record, with its schema. `flags` are those of the other parts.
    static func encodeHeader(
        _ flags: UInt8, author: String?, schema: StoreSchema?, time: Double,
        into writer: inout PayloadWriter
    ) {
        writer.write(format)
        writer.write(
            flags | (author == nil ? 0 : authorFlag) | (schema == nil ? 0 : schemaFlag))
        writer.write(time.bitPattern)
        if let author { writer.writeString(author) }
        if let schema { SchemaCodec.encode(schema, into: &writer) }
    }

    /// The time of a record's commit; nil for one that only changes the schema.
    static func time(of record: UnsafeRawBufferPointer) -> Double? {
        guard record.count >= 10 else { return nil }
        let time = Double(bitPattern: record.integer(at: 2))
        return time > 0 ? time : nil
    }

    /// The author of a record's commit, if it has one.
    static func author(of record: UnsafeRawBufferPointer) -> String? {
        var reader = ByteReader(record)
        return (try? Header(&reader))?.author
    }

    /// The schema in a record; nil if it has none, or none that can be decoded.
    static func schema(of record: UnsafeRawBufferPointer) -> StoreSchema? {
        // Most records have none; this needs one byte of them.
        guard record.count > flagsOffset, record[flagsOffset] & schemaFlag != 0 else { return nil }
        var reader = ByteReader(record)
        do throws(RecordError) {
            _ = try Header(&reader)
            return try SchemaCodec.decode(&reader)
        } catch {
            return nil
        }
    }
}
