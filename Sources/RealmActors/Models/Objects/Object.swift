/// A model whose objects stand in their class by themselves.
///
///     final class Dog: Object {
///         @Persisted(primaryKey: true) var id: UUID
///         @Persisted var name: String = ""
///         @Persisted var owner: Person?
///     }
///
/// Objects are not Sendable: an unmanaged one may be sent into a write, a live one stays with its
/// transaction or live realm, and ``ModelObject/freeze()`` gives a value that can go anywhere.
open class Object: ObjectBase {}

/// A model whose objects live inside exactly one parent, and are deleted with it.
open class EmbeddedObject: ObjectBase {}
