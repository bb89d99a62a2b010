extension ResultsPlan {
    /// The plan, refined by a query string.
    func filtered(
        _ text: String, _ arguments: QueryArguments
    ) throws(RealmError) -> ResultsPlan {
        if let absence = context.absence { throw absence }
        let parsed = try QueryParser.parse(text, arguments, schema, query.classID)
        var plan = try tryFiltered(parsed.condition)
        let classID = query.classID
        for stage in parsed.stages {
            plan = try plan.tryAdding { schema throws(RealmError) in
                switch stage {
                case .sort(let criteria): return .sort(try schema.sortKeys(criteria, in: classID))
                case .rank(let search, let paths):
                    return .rank(try schema.relevance(to: search, in: paths, of: classID))
                case .distinct(let paths):
                    var bound: [ValuePath] = []
                    for path in paths { bound.append(try schema.bindSingle(path, in: classID)) }
                    return .distinct(bound)
                case .limit(let count): return .limit(count)
                }
            }
        }
        return plan
    }
}
