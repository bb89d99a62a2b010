/// A property that was written since the element before.
public struct PropertyChange: Sendable, Hashable {
    /// The property's name in Swift. For a key path through several properties: the first one.
    public let name: String
    /// The value before; nil for collections and inverse links. In a stream, a linked or embedded
    /// object shows the values it has now, and is ``FrozenValue/none`` when it was deleted, as an
    /// embedded object is that was replaced.
    public let oldValue: FrozenValue?
    /// The value now; nil for collections and inverse links. An embedded object is a dictionary of
    /// its properties.
    public let newValue: FrozenValue?
}
