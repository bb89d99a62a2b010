extension ObjectWriting {
    /// The classes that the realm was opened with; without any, those that the store had then.
    public var schema: Schema { liveContext.models.schema }
}
