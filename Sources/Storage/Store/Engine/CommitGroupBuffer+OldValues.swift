extension CommitGroupBuffer {
    /// The same commits without old values, as if no history were retained; for a group without a
    /// page commit.
    func withoutOldValues() throws(StorageError) -> CommitGroupBuffer {
        let lean = CommitGroupBuffer()
        lean.onlyDeletes = onlyDeletes
        var starts = oldValues[...]
        var records = GroupRecords(UnsafeRawBufferPointer(payload))
        do {
            while let record = try records.next() {
                var payload = record.payload
                let end = record.offset + payload.count
                let start = starts.first.flatMap { $0 < end ? starts.popFirst() : nil }
                if let start { payload = payload.slice(0..<start - record.offset) }
                try lean.append(version: record.version) { writer in
                    writer.write(payload)
                    guard start != nil else { return }
                    let gone = CommitRecord.oldValuesFlag | CommitRecord.oldElementsFlag
                    writer.overwrite(
                        payload[CommitRecord.flagsOffset] & ~gone, at: CommitRecord.flagsOffset)
                }
            }
        } catch let error as StorageError {
            throw error
        } catch {
            preconditionFailure("A group just encoded does not read: \(error)")
        }
        return lean
    }
}
