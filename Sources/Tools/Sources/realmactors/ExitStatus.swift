import ArgumentParser
import Foundation
import RealmActors

/// What a process says of its failure to the one that started it.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case notFound = 2
    case badInput = 3
    case badKey = 4
    case damaged = 5
    case busy = 6
    case disk = 7
    case declined = 8
    case logUnavailable = 9
    case superseded = 10
    case logDiverged = 11
    case logUnsafe = 12
    case outcomeUnknown = 13

    /// What the code means.
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "any other failure"
        case .notFound: "no such store, class, object or version"
        case .badInput: "a query, a value or a file that does not fit"
        case .badKey: "no key, the wrong key, or a key for a store without one"
        case .damaged: "damage was found, or the path is not a store"
        case .busy: "another process is using the store"
        case .disk: "the disk failed or is full, or the store is read-only"
        case .declined: "not confirmed"
        case .logUnavailable:
            "the shared log is unavailable, or trimmed too far; nothing was written"
        case .superseded: "another host or program committed first; nothing was written"
        case .logDiverged: "the shared log and this host's copy of it have diverged"
        case .logUnsafe: "a setting of the shared log's engine may lose acknowledged commits"
        case .outcomeUnknown: "whether the commit is durable is not known until the next opening"
        }
    }

    /// All codes, for the help; wrong usage has the one that the system has for it.
    static let legend =
        allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")
        + "; 64 wrong usage"

    init(_ error: RealmError) {
        switch error {
        case .fileNotFound, .folderNotFound, .historyTrimmed, .versionUnavailable: self = .notFound
        case .invalidValue, .invalidObject, .invalidKeyPath, .invalidQuery, .invalidChangeToken,
            .duplicatePrimaryKey, .duplicateValues, .noPrimaryKey, .unreadableRealmFile:
            self = .badInput
        case .keyMissing, .wrongKey, .notEncrypted, .invalidEncryptionKey, .encryptionUnavailable:
            self = .badKey
        case .corrupted, .notARealm, .unsupportedFormat: self = .damaged
        case .writerBusy, .alreadyOpen, .tooManyActiveVersions: self = .busy
        case .io, .outOfSpace, .noSpaceToOpen, .readOnly, .durabilityLost: self = .disk
        case .sharedLogUnavailable, .sharedLogTrimmed: self = .logUnavailable
        case .superseded: self = .superseded
        case .sharedLogDiverged: self = .logDiverged
        case .sharedLogUnsafe: self = .logUnsafe
        case .commitOutcomeUnknown: self = .outcomeUnknown
        default: self = .failure
        }
    }

    /// Ends the process with the status of an error, which is written to standard error.
    static func leave(after error: any Error) -> Never {
        let status: ExitStatus
        ProgressLine.endOpen()
        switch error {
        case let error as RealmError: status = ExitStatus(error)
        case let error as ToolError: status = error.status
        case let error as Interrupted: exit(error.status)
        default: RealmActorsCommand.exit(withError: error)
        }
        Terminal.complain(error)
        exit(status.rawValue)
    }
}

/// The refusal of a command, with its message.
struct ToolError: Error, CustomStringConvertible {
    let status: ExitStatus
    let description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// The output takes no more.
    static func unwritable(_ error: any Error) -> ToolError {
        ToolError(.disk, "The output cannot be written: \(reason(of: error)).")
    }

    /// A file that was opened gives nothing, such as a folder.
    static func unreadable(_ path: String, _ error: any Error) -> ToolError {
        ToolError(.badInput, "The file '\(path)' cannot be read: \(reason(of: error)).")
    }

    /// What the system says of an error of a file.
    private static func reason(of error: any Error) -> String {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return cause.map { String(cString: strerror(Int32($0.code))) } ?? "\(error)"
    }

    static let objectWasDeleted = ToolError(.notFound, "The object was deleted.")
}
