/// One row of the output.
struct Measurement: Sendable {
    var workload: String
    /// Nil when the workload cannot run (yet, or here).
    var value: Double?
    var unit: String
    /// The checksum or count that the workload verified, or why it did not run.
    var check: String
    var isRight = true

    init(_ workload: String, _ value: Double, _ unit: String, check: Check) {
        self.workload = workload
        self.value = value
        self.unit = unit
        self.check = check.text
        isRight = check.isRight
    }

    private init(unsupported workload: String, _ reason: String) {
        self.workload = workload
        unit = "-"
        check = reason
    }

    static func unsupported(_ workload: String, _ reason: String = "-") -> Measurement {
        Measurement(unsupported: workload, reason)
    }
}

/// The answer of a workload, compared with the one it must have.
struct Check: Sendable {
    var text: String
    var isRight: Bool

    /// A plain remark where there is nothing to compare.
    static func note(_ text: String) -> Check { Check(text: text, isRight: true) }

    static func equal<T: Equatable>(_ found: T, _ expected: T) -> Check {
        found == expected
            ? Check(text: "\(found)", isRight: true)
            : Check(text: "WRONG: \(found), expected \(expected)", isRight: false)
    }

    /// For sums of doubles, whose last digits depend on the order of adding.
    static func close(_ found: Double, _ expected: Double) -> Check {
        let isClose = abs(found - expected) <= abs(expected) * 1e-9
        return isClose
            ? Check(text: "\(found)", isRight: true)
            : Check(text: "WRONG: \(found), expected \(expected)", isRight: false)
    }
}
