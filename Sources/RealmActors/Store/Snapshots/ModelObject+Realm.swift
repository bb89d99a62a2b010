extension ModelObject {
    /// The realm that the object lives in; nil for an unmanaged one and for one that is gone.
    public var realm: Realm? { isInvalidated ? nil : _live?.realm }
}
