extension ModelObject {
    /// The realm of the object; nil if it is unmanaged or invalidated.
    public var realm: Realm? { isInvalidated ? nil : _live?.realm }
}
