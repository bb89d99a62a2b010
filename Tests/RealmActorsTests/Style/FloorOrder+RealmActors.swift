extension FloorOrder {
    /// The floors of the models and of what is done with them.
    static let realmActors = FloorOrder(
        module: "Sources/RealmActors",
        floors: [
            "Values", "QueryEngine", "Models", "Store", "Querying", "Reading", "Writing",
            "Watching",
            "Maintenance", "Realm",
        ])

    /// What the query engine is made of.
    static let queryEngine = FloorOrder(
        module: "Sources/RealmActors/QueryEngine",
        floors: [
            "Expression", "Scanning", "Sorting", "Planning", "Binding", "Text", "Evaluation",
            "Explaining",
        ])

    /// What streams of changes are made of.
    static let watching = FloorOrder(
        module: "Sources/RealmActors/Watching",
        floors: [
            "Diff", "ChangeStream", "Observing", "Paths", "Objects", "Collections", "Sections",
            "Groups", "Projections", "History",
        ])
}
