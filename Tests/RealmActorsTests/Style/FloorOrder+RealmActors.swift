extension FloorOrder {
    /// The rooms of the models and of what is done with them.
    static let realmActors = FloorOrder(
        module: "Sources/RealmActors",
        floors: [
            "Values", "QueryEngine", "Models", "Store", "Querying", "Reading", "Writing",
            "Watching",
            "Maintenance", "Realm",
        ],
        known: [
            "Configuration.swift names Migration",
            "Configuration.swift names MigrationProgress",
            "Configuration.swift names MigrationStep",
            "Frozen.swift names LiveRealm",
            "FrozenContext.swift names Snapshot",
            "FrozenContext.swift names SnapshotHandle",
            "FrozenProjection.swift names LiveRealm",
            "FrozenResultsSection.swift names LiveRealm",
            "FrozenSectionedResults.swift names LiveRealm",
            "LiveContext.swift names ChangeStreamToken",
            "LiveContext.swift names Realm",
            "LiveContext.swift names RealmStore",
            "LiveContext.swift names Snapshot",
            "LiveContext.swift names SnapshotHandle",
            "Migrator.swift names OpenedStore",
            "ModelObject.swift names Frozen",
            "ModelObject.swift names Realm",
            "Projections+Fetching.swift names LiveRealm",
            "Projections+Fetching.swift names ObjectWriting",
            "Projections+Fetching.swift names WriteTransaction",
            "Realm.swift names Frozen",
            "Realm.swift names FrozenResults",
            "Realm.swift names LiveRealm",
            "Realm.swift names StoreRegistry",
            "Realm.swift names WriteTransaction",
            "RealmError.swift names Realm",
            "RealmStore.swift names LatestSnapshot",
            "RealmStore.swift names OpenedStore",
            "RealmStore.swift names WeakStore",
            "Snapshot.swift names Frozen",
            "Snapshot.swift names FrozenResults",
            "WriteConflict.swift names Realm",
            "WriterActor.swift names WriteTransaction",
        ])

    /// What the query engine is made of.
    static let queryEngine = FloorOrder(
        module: "Sources/RealmActors/QueryEngine",
        floors: [
            "Expression", "Scanning", "Sorting", "Planning", "Binding", "Text", "Evaluation",
            "Explaining",
        ],
        known: [])

    /// What streams of changes are made of.
    static let watching = FloorOrder(
        module: "Sources/RealmActors/Watching",
        floors: [
            "Diff", "ChangeStream", "Paths", "Objects", "Collections", "Observing", "Sections",
            "Projections", "History",
        ],
        known: [])
}
