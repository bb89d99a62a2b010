import Storage

extension RealmError {
    /// The public error for an error of the store.
    init(_ error: StorageError) {
        switch error {
        case .io(let operation, let path, let errno):
            self = .io(operation: operation.rawValue, path: path, code: errno)
        case .outOfSpace: self = .outOfSpace
        case .corrupted(let segment, let offset, let reason):
            self = .corrupted(segment: segment, offset: offset, reason: reason)
        case .notARealm(let path, let reason): self = .notARealm(path: path, reason: reason)
        case .unsupportedFormat(let found, let supported):
            self = .unsupportedFormat(found: found, supported: supported)
        case .alreadyOpen(let path, let process):
            self = .alreadyOpen(path: path, difference: "\(Self.name(of: process)) writes to it")
        case .busy(let process): self = .writerBusy(holder: Self.name(of: process))
        case .turnTaken(let holder, _): self = .writerBusy(holder: holder)
        case .readOnly: self = .readOnly
        case .migrated:
            self = .schemaMismatch(differences: [Self.migratedElsewhere])
        case .commitOutcomeUnknown(let cause):
            self = .commitOutcomeUnknown(cause: Self.words(for: cause))
        case .durabilityLost(let cause): self = .durabilityLost(cause: Self.words(for: cause))
        case .fileNotFound(let path): self = .fileNotFound(path: path)
        case .folderNotFound(let path): self = .folderNotFound(path: path)
        case .closed: self = .closed
        case .notEncrypted(let path): self = .notEncrypted(path: path)
        case .keyMissing(let path): self = .keyMissing(path: path)
        case .wrongKey(let path): self = .wrongKey(path: path)
        case .encryptionUnavailable: self = .encryptionUnavailable
        case .sharedLogUnavailable(let reason): self = .sharedLogUnavailable(reason: reason)
        case .superseded: self = .superseded
        case .sharedLogDiverged(let reason): self = .sharedLogDiverged(reason: reason)
        case .sharedLogTrimmed(let first): self = .sharedLogTrimmed(first: first)
        case .sharedLogUnsafe(let setting): self = .sharedLogUnsafe(setting: setting)
        case .sharedLogRefused(let reason): self = .sharedLogRefused(reason: reason)
        case .duplicateValues(let duplicate):
            self = .duplicateValues(
                className: duplicate.className, properties: duplicate.columns,
                values: duplicate.values,
                existing: Self.words(for: duplicate.existing),
                rejected: Self.words(for: duplicate.rejected))
        case .invalid(let message): self = .invalidValue(message)
        }
    }

    private static func words(for row: DuplicateValues.RowName) -> String {
        row.primaryKey.map { "the object with primary key \($0)" } ?? "object \(row.row)"
    }

    private static func name(of process: Int32?) -> String {
        process.map { "process \($0)" } ?? "another process"
    }

    /// The cause without advice, which the enclosing error gives.
    private static func words(for cause: StorageError) -> String {
        if case .sharedLogUnavailable(let reason) = cause {
            return "the shared log did not respond: \(reason)"
        }
        if case .outOfSpace(let path) = cause {
            return "no space was left on the disk of '\(path)'"
        }
        guard case .io(let operation, let path, let number) = cause else {
            return cause.description
        }
        return "could not \(operation.rawValue) '\(path)': \(Platform.message(for: number))"
    }

    /// Runs `body`, whose storage errors become errors that users see.
    static func translating<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as StorageError { throw RealmError(error) }
    }
}

extension RealmError {
    /// Runs `body`, whose storage errors become errors that users see.
    static func translating<R>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
    ) async throws -> R {
        do { return try await body() } catch let error as StorageError { throw RealmError(error) }
    }
}
