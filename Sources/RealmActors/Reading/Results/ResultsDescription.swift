extension FrozenResults: CustomStringConvertible {
    /// The number of objects, and the first of them in a line each. Evaluates the results.
    public var description: String {
        CollectionDescription.summary(of: "FrozenResults<\(Model.self)>", self)
    }
}

extension Results: CustomStringConvertible {
    /// The number of objects, and the first of them in a line each. Evaluates the results.
    public var description: String {
        CollectionDescription.summary(of: "Results<\(Model.self)>", self)
    }
}

extension FrozenProjectionResults: CustomStringConvertible {
    /// The number of projections, and the first of their objects in a line each.
    public var description: String {
        CollectionDescription.summary(of: "FrozenProjectionResults<\(P.self)>", rootObjects)
    }
}

extension ProjectionResults: CustomStringConvertible {
    /// The number of projections, and the first of their objects in a line each.
    public var description: String {
        CollectionDescription.summary(of: "ProjectionResults<\(P.self)>", rootObjects)
    }
}
