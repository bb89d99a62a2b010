/// A property that was written since the element before.
public struct PropertyChange: Sendable, Hashable {
    /// The property's name in Swift. For a key path through several properties: the first one.
    public let name: String
    /// The value before; nil for collections and inverse links. A linked object shows the values it
    /// has now, and is ``FrozenValue/none`` when it was deleted.
    public let oldValue: FrozenValue?
    /// The value now; nil for collections and inverse links.
    public let newValue: FrozenValue?
}
