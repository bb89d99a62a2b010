import Synchronization

/// One reading of a class or a part of it, with its limits and the destination of its report.
final class RealmFilePass: Sendable {
    let reader: RealmNodeReader
    let format: RealmFileFormat
    /// The tables that links can refer to.
    let tables: Set<RealmFileTableKey>
    /// The report of damage in a salvage; nil if damage ends the reading.
    let report: RealmFileReportLog?

    init(
        _ reader: RealmNodeReader, format: RealmFileFormat, tables: Set<RealmFileTableKey>,
        report: RealmFileReportLog?
    ) {
        self.reader = reader
        self.format = format
        self.tables = tables
        self.report = report
    }

    /// Skips damage in a salvage; any other error ends the reading.
    func skip(
        _ error: RealmFileError, className: String?, property: String?, keys: ClosedRange<Int64>?
    ) throws(RealmFileError) {
        guard let report, let offset = error.offset else { throw error }
        report.add(
            RealmFileDamage(
                className: className, property: property, keys: keys, offset: offset,
                reason: error.reason))
    }
}

/// The column that leaves and collections belong to.
final class RealmFileSource: Sendable {
    let pass: RealmFilePass
    let className: String
    let property: RealmFileProperty
    /// The objects that are read.
    let keys: ClosedRange<Int64>
    /// The strings of an enumerated column.
    let enumeration: RealmFileEnumeration?
    /// Whether damage ends the reading even in a salvage.
    private let isStrict: Bool

    init(
        _ pass: RealmFilePass, className: String, _ property: RealmFileProperty,
        _ keys: ClosedRange<Int64>, enumeration: RealmFileEnumeration? = nil,
        isStrict: Bool = false
    ) {
        self.pass = pass
        self.className = className
        self.property = property
        self.keys = keys
        self.enumeration = enumeration
        self.isStrict = isStrict
    }

    /// The same, with damage ending the reading even in a salvage.
    var strict: RealmFileSource {
        RealmFileSource(pass, className: className, property, keys, isStrict: true)
    }

    /// The same for one object.
    func of(_ key: Int64) -> RealmFileSource {
        RealmFileSource(pass, className: className, property, key...key)
    }

    func skip(_ error: RealmFileError) throws(RealmFileError) {
        if isStrict { throw error }
        try pass.skip(error, className: className, property: property.name, keys: keys)
    }
}
