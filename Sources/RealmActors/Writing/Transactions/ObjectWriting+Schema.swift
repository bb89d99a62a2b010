extension ObjectWriting {
    /// The classes of the realm.
    public var schema: Schema { liveContext.models.schema }
}
