/// A link to an object as the value of a map. The library conforms optional models.
public protocol ObjectLink {
    /// The class of the object.
    associatedtype Linked: ObjectBase
    /// The object, if there is one.
    var _linked: Linked? { get }
}

extension Optional: ObjectLink where Wrapped: ObjectBase {
    /// The object, if there is one.
    public var _linked: Wrapped? { self }
}
