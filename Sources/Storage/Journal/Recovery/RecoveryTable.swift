/// What the reader of a log knows where no valid next frame follows. X is the first position that
/// does not verify.
struct RecoveryEvidence: Hashable, Sendable {
    /// What is at the reader's position.
    enum Cursor: CaseIterable, Hashable, Sendable {
        /// The end that the successor's header records.
        case recordedEnd
        /// A frame that verifies ends the open parts without completing them.
        case endsParts
        /// A frame verifies, but its position or previous hash is not what belongs here.
        case brokenLink
        /// Zeros or the end of the file from X on.
        case zeros
        /// Bytes that are no frame of this epoch.
        case bad
    }

    /// How the segments of the log relate to each other.
    enum Sequence: CaseIterable, Hashable, Sendable {
        /// This is the newest segment, without any file after it.
        case newest
        /// The segments after this one have no usable header of this database.
        case unusableBehind
        /// A segment with a valid header follows.
        case successor
        /// A gap in the numbers, a bad header with a valid segment after it, or several segments of
        /// another database.
        case broken
    }

    var cursor: Cursor
    var sequence: Sequence
    /// Whether something proves that bytes from X on were durable.
    var isProven: Bool
    /// Whether parts of an incomplete transaction precede X.
    var hasOpenParts: Bool
}

/// The verdict: what the reader of a log does.
enum RecoveryVerdict: Hashable, Sendable {
    case continueInSuccessor
    case corruption
    case ignoreUnusableSegments
    case cleanEnd
    case abandonedTransaction
    case tornGroup
}

/// The decision table: the first row that matches determines the verdict. It is total, which a test
/// checks for every combination of evidence.
struct RecoveryTable: Sendable {
    struct Row: Sendable {
        let label: String
        let verdict: RecoveryVerdict
        let matches: @Sendable (RecoveryEvidence) -> Bool
    }

    static let rows: [Row] = [
        Row(label: "the recorded end of the segment", verdict: .continueInSuccessor) {
            $0.cursor == .recordedEnd && $0.sequence == .successor
        },
        Row(label: "it ends before its recorded end", verdict: .corruption) {
            $0.cursor.isUnverified && $0.sequence == .successor
        },
        Row(label: "the segments do not follow each other", verdict: .corruption) {
            $0.sequence == .broken && $0.cursor != .endsParts
        },
        Row(label: "bytes that were durable do not verify", verdict: .corruption) {
            $0.isProven && $0.cursor.isUnverified
        },
        Row(label: "the frame does not continue the one before", verdict: .corruption) {
            $0.cursor == .brokenLink
        },
        Row(label: "a segment that was never begun", verdict: .ignoreUnusableSegments) {
            $0.sequence == .unusableBehind && $0.cursor == .zeros && !$0.hasOpenParts
        },
        Row(label: "the end of the log", verdict: .cleanEnd) {
            ($0.cursor == .zeros || $0.cursor == .recordedEnd) && !$0.hasOpenParts
        },
        Row(label: "a transaction that was not finished", verdict: .abandonedTransaction) {
            $0.cursor == .endsParts || $0.hasOpenParts && $0.cursor != .bad
        },
        Row(label: "a group that was not completely written", verdict: .tornGroup) {
            $0.cursor == .bad
        },
    ]

    /// The first row that matches.
    static func row(for evidence: RecoveryEvidence) -> Row {
        guard let row = rows.first(where: { $0.matches(evidence) }) else {
            preconditionFailure("The recovery table has no row for \(evidence)")
        }
        return row
    }
}

extension RecoveryEvidence.Cursor {
    /// Whether the reader is at X.
    var isUnverified: Bool {
        switch self {
        case .zeros, .bad: true
        case .recordedEnd, .endsParts, .brokenLink: false
        }
    }
}
