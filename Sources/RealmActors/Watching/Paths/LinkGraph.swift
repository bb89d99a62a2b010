import Storage

/// The links of one version, in both directions, for walking key paths.
protocol LinkGraph {
    /// Visits the rows whose link column points to `target`; a row may be visited several times.
    func forEachOrigin(
        of target: RowKey, origin: ClassID, column: ColumnID, _ visit: (RowKey) -> Void)
    /// Visits the rows that a link column of a row points to, also a collection of links; nothing
    /// if the row does not exist.
    func forEachTarget(
        of row: RowKey, in id: ClassID, column: ColumnID, _ visit: (RowKey) -> Void)
    /// Whether a column has lists, sets or maps.
    func isCollection(_ column: ColumnID, of id: ClassID) -> Bool
    /// Visits the targets at some positions of a list, a set, or the values of a map.
    func forEachTarget(
        of row: RowKey, in id: ClassID, column: ColumnID, at positions: [Int],
        _ visit: (RowKey) -> Void)
}
