/// The base class of models whose objects exist independently: they are added, queried and deleted
/// individually.
///
///     final class Dog: Object {
///         @Persisted(primaryKey: true) var id: UUID
///         @Persisted var name: String = ""
///         @Persisted var owner: Person?
///     }
///
/// Objects are not Sendable: an unmanaged one may be sent into a write, a live one stays with its
/// transaction or live realm, and ``ModelObject/freeze()`` gives a Sendable value.
open class Object: ObjectBase {}

/// The base class of models whose objects belong to exactly one parent object, and are deleted with
/// it.
open class EmbeddedObject: ObjectBase {}
