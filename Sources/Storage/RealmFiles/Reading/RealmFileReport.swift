import Synchronization

/// A part of a file that could not be read.
package struct RealmFileDamage: Sendable, Equatable {
    /// Nil if the class is unknown.
    package let className: String?
    /// Nil for the objects themselves, or a class.
    package let property: String?
    /// The affected objects, if known.
    package let keys: ClosedRange<Int64>?
    /// The offset in the decrypted file.
    package let offset: Int
    package let reason: String
}

/// What a salvage has skipped so far.
package struct RealmFileReport: Sendable, Equatable {
    /// The first findings.
    package var damages: [RealmFileDamage] = []
    /// The number of all findings.
    package var count = 0

    package init() {}

    /// The maximum number of recorded findings.
    package static let damagesMax = 1000

    /// Whether nothing was skipped.
    package var isIntact: Bool { count == 0 }
}

/// Collects the reports of the readings of a file.
final class RealmFileReportLog: Sendable {
    private let report = Mutex(RealmFileReport())

    var contents: RealmFileReport { report.withLock { $0 } }

    func add(_ damage: RealmFileDamage) {
        report.withLock { report in
            report.count += 1
            if report.damages.count < RealmFileReport.damagesMax { report.damages.append(damage) }
        }
    }
}
