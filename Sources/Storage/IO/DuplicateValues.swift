/// A readable description of two rows of a class with the same values in a unique index.
package struct DuplicateValues: Sendable, Equatable {
    package let className: String
    /// The columns of the index.
    package let columns: [String]
    package let values: [String]
    /// The row that had the values first.
    package let existing: RowName
    /// The row that got the same values in a transaction.
    package let rejected: RowName

    /// The identification of a row: its primary key, or its number if it has none.
    package struct RowName: Sendable, Equatable {
        package let row: Int64
        package let primaryKey: String?

        package init(row: Int64, primaryKey: String?) {
            self.row = row
            self.primaryKey = primaryKey
        }
    }

    package init(
        className: String, columns: [String], values: [String], existing: RowName,
        rejected: RowName
    ) {
        self.className = className
        self.columns = columns
        self.values = values
        self.existing = existing
        self.rejected = rejected
    }
}
