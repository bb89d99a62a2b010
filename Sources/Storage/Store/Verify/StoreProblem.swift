/// A problem found by a verification.
package struct StoreProblem: Sendable, Hashable {
    /// The kind of the damage.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// A node does not meet the demand of its place in the tree, or has an invalid size.
        case node
        /// A stored count of rows, elements or entries is wrong.
        case count
        /// Keys, elements or entries do not ascend.
        case order
        /// Bytes that are no valid value of the column.
        case value
        /// An index lacks the entry of a row, or has an extra one.
        case index
        /// Two rows have the same primary key.
        case duplicateKey
        /// A link refers to a missing row.
        case link
        /// A link without its backlink, or a backlink without its link.
        case backlink
        /// An embedded row without a parent, or with several.
        case ownership
        /// The accounting of the page files does not match their tree.
        case space
        /// A frame of the log does not verify, or does not continue the previous one.
        case log
    }

    package var kind: Kind
    package var place: Place
    /// A description of the damage.
    package var reason: String

    /// The location in the store, as far as it is known.
    package struct Place: Sendable, Hashable {
        package var classID: ClassID?
        package var column: ColumnID?
        package var row: RowKey?
        /// The file, and the offset in it.
        package var file: String?
        package var offset: Int?

        package init(_ classID: ClassID? = nil, _ column: Int? = nil, row: RowKey? = nil) {
            self.classID = classID
            self.column = column.map { ColumnID($0) }
            self.row = row
        }

        package init(file: String, offset: Int) {
            self.file = file
            self.offset = offset
        }

        func at(row: RowKey?) -> Place {
            var place = self
            place.row = row
            return place
        }
    }
}

/// How much a verification has checked.
package struct VerificationCounts: Sendable, Hashable {
    package var nodes = 0
    package var nodeBytes = 0
    package var rows = 0
    package var values = 0
    package var elements = 0
    package var indexEntries = 0
    package var links = 0
    package var segments = 0
    package var frames = 0
    package var commits = 0
    package var logBytes = 0

    package init() {}
}
