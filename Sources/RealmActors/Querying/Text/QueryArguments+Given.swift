extension QueryArguments {
    /// Arguments for placeholders in their order.
    init(positional: [Any?]) {
        self.init(positional: positional, named: [:], constant: Self.constant)
    }

    /// Arguments that have names.
    init(named: [String: Any?]) {
        self.init(positional: [], named: named, constant: Self.constant)
    }

    private static func constant(
        _ given: Any?
    ) throws(QueryArgumentProblem) -> QueryConstant { try QueryConstant(given) }
}
