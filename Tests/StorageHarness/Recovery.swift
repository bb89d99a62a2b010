package import Storage

/// What every campaign does after a crash.
package enum Recovery {
    /// Opens the store as a reader and as a writer, compares both with the oracle, commits three
    /// times more, and opens it again. Returns the oracle as it is then.
    @discardableResult
    package static func check(
        _ files: any FileSystem, _ oracle: Oracle, seed: UInt64,
        options: LogOptions = CrashStore.smallSegments, isDamaged: Bool = false
    ) async throws -> Oracle {
        do {
            let read = try CrashStore.inspect(files, oracle, options: options)
            let store = CrashStore(files, oracle: oracle, seed: seed, options: options)
            try store.open()
            // The first opening of a store brings the schema.
            let found = max(read ?? .zero, Version.zero.next)
            guard store.oracle.acknowledged == found else {
                throw Violation("a reader found \(found), a writer \(store.oracle.acknowledged)")
            }
            // Damage where nobody needs to read does no harm, and is found all the same.
            if !isDamaged { try await store.run(.verify) }
            for _ in 0..<3 { try await store.run(.transaction) }
            try await store.run(.reopen)
            try await store.close()
            return store.oracle
        } catch let error as StorageError {
            // What the reader had no need of, a transaction may: it is refused, and says why.
            if isDamaged, error.isDamage { return oracle }
            throw Violation("recovery failed: \(error)")
        }
    }
}

extension StorageError {
    /// Whether the error says that the files are not what was written.
    package var isDamage: Bool {
        switch self {
        case .corrupted, .notARealm, .unsupportedFormat, .keyMissing, .fileNotFound: true
        case .commitOutcomeUnknown(let cause), .durabilityLost(let cause): cause.isDamage
        default: false
        }
    }

    /// Whether a disk that fails explains the error. Damage, for one, it does not: what was
    /// acknowledged is never damaged by a crash or a failed call.
    package var isDiskFailure: Bool {
        switch self {
        case .io, .outOfSpace: true
        case .commitOutcomeUnknown(let cause), .durabilityLost(let cause): cause.isDiskFailure
        case .corrupted, .notARealm, .unsupportedFormat, .alreadyOpen, .fileNotFound, .closed,
            .folderNotFound, .busy, .turnTaken, .readOnly, .migrated, .notEncrypted, .keyMissing,
            .wrongKey,
            .encryptionUnavailable, .sharedLogUnavailable, .superseded, .sharedLogDiverged,
            .sharedLogTrimmed, .sharedLogUnsafe, .sharedLogRefused, .duplicateValues, .invalid:
            false
        }
    }
}
