import Storage

/// Booleans of a column equal to a constant: whole words at a time.
package struct BoolScan: Sendable {
    let column: Int
    let value: Bool
    let isNullable: Bool
    let matchesNull: Bool

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        mask.narrow(nullable: isNullable, matchesNull: matchesNull, column, cluster) { mask in
            let words = SIMD4(
                cluster.boolWord(column, 0), cluster.boolWord(column, 1),
                cluster.boolWord(column, 2), cluster.boolWord(column, 3))
            mask.words &= value ? words : ~words
        }
    }
}

/// Rows whose value is null, or is not.
package struct NullScan: Sendable {
    let column: Int
    let isNull: Bool

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        let nulls = ClusterMask.nulls(column, cluster)
        mask.words &= isNull ? nulls.words : ~nulls.words
    }
}

/// Values of the kinds that no loop is specialised for, one by one.
package struct ValueScan: Sendable {
    let column: Int
    let schema: ColumnSchema
    let test: ValueTest

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        mask.filter { test.matches(cluster.value(column, $0, schema)) }
    }
}
