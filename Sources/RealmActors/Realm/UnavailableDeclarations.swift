// Unavailable declarations for code written for Realm: the compiler reports the replacement. None
// can be called.

extension Realm {
    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "open it by 'try await Realm.open(configuration)'")
    public init(configuration: Configuration = .default) throws {
        preconditionFailure(Self.unavailable)
    }

    /// Never called.
    @_documentation(visibility: internal)
    @available(
        *, unavailable,
        message: "open it by 'Realm.open(configuration)', and on the actor 'try await realm.live()'"
    )
    public init(configuration: Configuration = .default, actor: any Actor) async throws {
        preconditionFailure(Self.unavailable)
    }

    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, renamed: "object(_:forPrimaryKey:)")
    public func object<Model: Object>(
        ofType type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Frozen<Model>? { nil }

    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "write in 'realm.write { tx in try tx.add(object) }'")
    public func add(_ objects: Any, update: UpdatePolicy = .error) {
        preconditionFailure(Self.unavailable)
    }

    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "write in 'realm.write { tx in try tx.create(...) }'")
    public func create<Model: Object>(
        _ type: Model.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> Model { preconditionFailure(Self.unavailable) }

    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "write in 'realm.write { tx in try tx.create(...) }'")
    public func create<Model: Object>(
        _ type: Model.Type, json: Any, update: UpdatePolicy = .error
    ) -> Model { preconditionFailure(Self.unavailable) }

    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "write in 'realm.write { tx in try tx.delete(object) }'")
    public func delete(_ objects: Any) { preconditionFailure(Self.unavailable) }

    private static var unavailable: String { "Unavailable declarations cannot be called." }
}

extension Snapshot {
    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, renamed: "object(_:forPrimaryKey:)")
    public func object<Model: Object>(
        ofType type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Frozen<Model>? { nil }
}

extension ObjectWriting {
    /// Never called.
    @_documentation(visibility: internal)
    @available(*, unavailable, renamed: "object(_:forPrimaryKey:)")
    public func object<Model: Object>(
        ofType type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Model? { nil }
}
