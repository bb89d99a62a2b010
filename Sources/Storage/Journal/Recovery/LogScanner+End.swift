extension LogScanner {
    /// Called where no next frame follows: gathers the evidence and applies the recovery table.
    mutating func conclude(
        _ cursor: RecoveryEvidence.Cursor, at offset: Int, behind rest: UnsafeRawBufferPointer,
        hasSuccessor: Bool = false
    ) throws(StorageError) {
        var cursor = cursor
        var sequence = RecoveryEvidence.Sequence.newest
        if hasSuccessor {
            sequence = .successor
        } else if list.breakReason != nil {
            sequence = .broken
        } else if !list.unusablePaths.isEmpty {
            sequence = .unusableBehind
        }
        if cursor == .bad { _ = try searchProof(in: rest, from: 8, of: segmentPath, at: offset) }
        var tornBytes = cursor == .zeros ? 0 : rest.usedCount
        if sequence == .unusableBehind || sequence == .broken {
            for path in list.unusablePaths {
                let contents = try SegmentContents(path, fileSystem)
                defer { withExtendedLifetime(contents) {} }
                guard try searchProof(in: contents.bytes, from: 0, of: path, at: 0) else {
                    continue
                }
                cursor = .bad
                tornBytes += contents.bytes.usedCount
            }
        }
        let evidence = RecoveryEvidence(
            cursor: cursor, sequence: sequence, isProven: proven > end.position,
            hasOpenParts: groups.hasOpenParts)
        let row = RecoveryTable.row(for: evidence)
        verdict = row.verdict
        switch row.verdict {
        case .corruption:
            let reason = sequence == .broken ? list.breakReason ?? row.label : row.label
            throw .corrupted(segment: segmentPath, offset: offset, reason: reason)
        case .tornGroup:
            report.tornBytes += tornBytes
            abandonParts()
        case .abandonedTransaction:
            abandonParts()
        case .continueInSuccessor, .ignoreUnusableSegments, .cleanEnd:
            break
        }
    }

    /// Searches every 8-byte step for a frame that verifies, and records what it proves durable.
    /// Returns whether there was one. `bytes` are those of the file at `path` from `base` on.
    ///
    /// The steps are bounded by the size of a segment, the work at each by a header's hash, and
    /// that for payloads by a budget. Throws when the budget is exhausted: then it is unknown
    /// whether the bytes after that were durable.
    private mutating func searchProof(
        in bytes: UnsafeRawBufferPointer, from start: Int, of path: String, at base: Int
    ) throws(StorageError) -> Bool {
        var found = false
        var reader = reader
        var budget = FrameReader.hashingBudget(of: bytes)
        var offset = start
        while offset + FrameHeader.size <= bytes.count {
            var frame: SealedFrame?
            if bytes[offset] != 0 {
                frame = try? reader.frame(in: bytes, at: offset, budget: &budget)
            }
            guard budget >= 0 else {
                throw .corrupted(
                    segment: path, offset: base + offset,
                    reason: "too many headers of frames that do not verify claim the same bytes")
            }
            if let frame {
                found = true
                prove(frame.header.syncedThrough)
                reader.resume(with: frame.key)
                offset += frame.header.frameSize
            } else {
                offset += 8
            }
        }
        return found
    }
}

// Safe for every valid buffer: the walk keeps to its indices.
extension UnsafeRawBufferPointer {
    /// Bytes up to the last one that is not zero.
    fileprivate var usedCount: Int {
        (lastIndex { $0 != 0 } ?? -1) + 1
    }
}
