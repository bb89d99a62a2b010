import Synchronization

/// What of a file could not be read.
package struct RealmFileDamage: Sendable, Equatable {
    /// Nil when it is not known of which class.
    package let className: String?
    /// Nil when it is the objects themselves, or a class.
    package let property: String?
    /// The objects that it concerns, where that is known.
    package let keys: ClosedRange<Int64>?
    /// A byte of the decrypted file.
    package let offset: Int
    package let reason: String
}

/// What a salvage has left out so far.
package struct RealmFileReport: Sendable, Equatable {
    /// The first findings.
    package var damages: [RealmFileDamage] = []
    /// How many there were.
    package var count = 0

    package init() {}

    /// How many are kept.
    package static let damagesMax = 1000

    /// Whether nothing was left out.
    package var isIntact: Bool { count == 0 }
}

/// Collects what readings of a file report.
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
