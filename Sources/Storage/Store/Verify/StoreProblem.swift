/// Something that a verification found to be other than it must be.
package struct StoreProblem: Sendable, Hashable {
    /// What kind of damage it is.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// A node is not what its place in the tree calls for, or lies about its own size.
        case node
        /// A number that is kept of rows, elements or entries is not how many there are.
        case count
        /// Keys, elements or entries do not ascend.
        case order
        /// Bytes that no value of the column has.
        case value
        /// An index lacks an entry of a row, or has one that no row calls for.
        case index
        /// Two rows have the same primary key.
        case duplicateKey
        /// A link leads to a row that is not there.
        case link
        /// A link without its backlink, or a backlink without its link.
        case backlink
        /// An embedded row without a parent, or with several.
        case ownership
        /// The account of what the page files use is not that of their tree.
        case space
        /// A frame of the log does not verify, or does not continue the one before.
        case log
    }

    package var kind: Kind
    package var place: Place
    /// What is wrong, in words.
    package var reason: String

    /// Where in the store, as far as it is known.
    package struct Place: Sendable, Hashable {
        package var classID: ClassID?
        package var column: ColumnID?
        package var row: RowKey?
        /// The file, and the byte in it.
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

/// How much a verification has looked at.
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
