/// The protocol of ``Projection`` for generic code: a view of an object of `Root`.
public protocol ProjectionObservable: AnyObject, SendableMetatype {
    /// The model that is projected.
    associatedtype Root: ObjectBase

    /// The object that is projected.
    var rootObject: Root { get }

    /// A projection of an object.
    init(projecting object: Root)
}

/// A view of a model with some of its properties, possibly renamed or transformed.
///
///     final class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var name
///         @Projected(\Person.lastName.localizedUppercase) var lastNameCaps
///         @Projected(\Person.address?.city) var homeCity
///         @Projected(\Person.friends.projectTo.firstName)
///         var friendsNames: ProjectedCollection<String>
///     }
///
/// A projection copies nothing: it reads its object, and writes to it inside a write. It is
/// confined to the isolation of its object, and ``ProjectionObservable/freeze()`` gives a
/// ``FrozenProjection``, which is Sendable. In a module whose default isolation is the main actor,
/// declare projections `nonisolated`, as models.
open class Projection<Root: ObjectBase>: ProjectionObservable {
    /// The object that is projected.
    public let rootObject: Root

    /// A projection of an object. Nothing is read yet.
    public required init(projecting object: Root) { rootObject = object }
}

@available(*, unavailable)
extension Projection: Sendable {}

extension Projection: Hashable {
    /// Whether the projected objects are equal, as ``ObjectBase`` compares them.
    public static func == (a: Projection, b: Projection) -> Bool { a.rootObject == b.rootObject }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(rootObject) }
}

extension Projection: CustomStringConvertible {}

extension ProjectionObservable {
    /// The realm of the object; nil if it is unmanaged or invalidated.
    public var realm: Realm? { rootObject.realm }

    /// Whether the object was deleted, or its realm was invalidated.
    public var isInvalidated: Bool { rootObject.isInvalidated }

    /// The identity of the projected object. Traps if the object is unmanaged.
    public var reference: ObjectReference<Root> { rootObject.reference }

    /// Whether both project the same row of the same store.
    public func isSameObject(as other: Self?) -> Bool {
        rootObject.isSameObject(as: other?.rootObject)
    }

    /// The present state of the projection as an immutable value, also inside a write. The object
    /// must be live.
    public func freeze() -> FrozenProjection<Self> {
        FrozenProjection(projecting: rootObject.freeze())
    }

    /// The projection and its properties by name.
    public var description: String { ProjectionSchema.of(Self.self).text(of: self) }
}
