package import Storage

extension QuerySchema {
    /// Binds a condition to the rows of `classID`, and finds the indexes that serve it.
    package func bind(
        _ condition: QueryExpression, in classID: ClassID
    ) throws(RealmError) -> RowFilter {
        RowFilter(
            predicate: try PredicateBinding(schema: self, classID: classID).bind(condition),
            conditions: IndexConditions(condition, schema: self, classID: classID),
            expression: condition)
    }
}
