/// One element of an object's change stream.
public enum ObjectChange<T: ObjectBase>: Sendable {
    /// Properties of the object were written; the object as it is now, and which properties, in the
    /// order of their declaration. Writing an equal value counts.
    case change(Frozen<T>, [PropertyChange])
    /// The object was deleted. The stream ends after this.
    case deleted
}
