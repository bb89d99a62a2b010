// Quantifiers to the right of an operator, and before lists.
extension QueryComparisonCheck {
    /// The condition with a quantifier before its right side: `'Oslo' IN ANY ports`,
    /// `5 == NONE marks`, `age == ANY {1, 2}`. One before a list may also be to the left.
    func condition(
        _ left: QueryTerm, _ operation: QueryTermOperator, _ right: QueryTerm,
        quantifiedBy other: QueryQuantifier?
    ) throws(RealmError) -> QueryExpression {
        let isEquality = operation == .comparison(.equal)
        if isEquality, quantifier != nil, left.isList, !right.isList {
            return try quantified(by: other)
                .condition(right, operation, left, quantifiedBy: quantifier)
        }
        guard let other else { return try condition(left, operation, right) }
        if operation == .isIn || isEquality && right.isList {
            let found = try condition(left, .isIn, right)
            return other == .none ? .not(found) : found
        }
        if quantifier != nil {
            throw parser.error("ANY and NONE can be on one side only.", at: right.position)
        }
        let check = quantified(by: other)
        // It would be taken for one of the left side, which may lead through a collection.
        if try parser.collectionCount(right) == 0 { try check.refuseQuantifier(right.position) }
        // The other way round, so that an explanation has it before the collection.
        if case .comparison(let comparison) = operation {
            return try check.condition(right, .comparison(comparison.mirrored), left)
        }
        return try check.condition(left, operation, right)
    }

    private func quantified(by quantifier: QueryQuantifier?) -> QueryComparisonCheck {
        QueryComparisonCheck(
            parser: parser, quantifier: quantifier, options: options, place: place)
    }
}
