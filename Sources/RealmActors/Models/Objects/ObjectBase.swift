public import Storage

// Safety: unchecked exclusivity is safe for the state of an accessor, which belongs to one
// isolation: each access is one load or one store of a field, and nothing that it calls touches the
// same field.

/// The root class of all models, with only the state that an accessor needs.
///
/// Subclass ``Object`` or ``EmbeddedObject``. All other members of objects are in extensions of
/// ``ModelObject``, so that a model may declare `description`, `realm` or `version` itself.
///
/// An object is unmanaged until it is added; then it is live, and confined to its transaction or to
/// the actor of its live realm. Frozen objects are reached through ``Frozen`` only.
open class ObjectBase {
    /// The raw value of an ``AccessorState``, which defines the meaning of the fields below.
    @exclusivity(unchecked) @usableFromInline package final var __state: UInt8 = 0
    /// The row's place in its cluster.
    @exclusivity(unchecked) @usableFromInline package final var __slot: Int = 0
    /// The cluster with the row. Borrowed from the tree that `__context` retains, or from `__seen`
    /// after a deletion; or retained by this accessor, if the memory budget keeps it out of the
    /// tree.
    @exclusivity(unchecked) @usableFromInline package final var __cluster: Cluster!
    /// Whether this accessor retains `__cluster`.
    @exclusivity(unchecked) @usableFromInline package final var __ownsCluster = false
    /// The key of the row.
    @exclusivity(unchecked) @usableFromInline package final var __key = RowKey(0)
    /// The generation of the live context in which `__cluster` and `__slot` were found; before
    /// that, the complement of the generation in which this accessor was made, which equals no
    /// generation. In an unmanaged object the number of the property that refused a value, counted
    /// from 1, else 0; in a frozen one 1 if its row was lost, see `_hasLostRow`, else 0.
    @exclusivity(unchecked) @usableFromInline package final var __generation: UInt64 = 0
    // Unsafe: the generation cell of the live context, which `__context` retains.
    @exclusivity(unchecked) @usableFromInline
    package final var __current: UnsafeMutablePointer<UInt64>!
    // Unowned: the Observation hub of the live context, which `__context` retains.
    @exclusivity(unchecked) @usableFromInline
    package final var __observation: Unmanaged<ObservationHub>?
    // Unowned: `__context` retains the models of its realm.
    /// The class in its realm; nil while unmanaged.
    @exclusivity(unchecked) @usableFromInline
    package final var __binding: Unmanaged<ModelBinding>?
    /// The context that the accessor reads from; nil while unmanaged.
    @exclusivity(unchecked) @usableFromInline package final var __context: AccessContext?
    /// The class in its realm; nil while unmanaged.
    package final var __model: ModelBinding! { __binding?.takeUnretainedValue() }
    /// The cluster in which a live accessor last located its row in a published version, retained
    /// so that the values can be read after a deletion. Only the cluster, so that a stored object
    /// does not hold a whole version.
    @exclusivity(unchecked) final var __seen: Cluster?
    /// The row's place in `__seen`.
    @exclusivity(unchecked) final var __seenSlot: UInt8 = 0

    /// An unmanaged object with the defaults of its class.
    public required init() {}

    /// An unmanaged object with the given values.
    ///
    /// - Parameter value: a dictionary by property name (absent ones keep their default, unknown
    ///   ones are ignored), an array with one element per property, superclass first, or another
    ///   object. Values of links and collections may be nested in the same forms.
    /// - Throws: ``RealmError/invalidValue(_:)``, which names the property, what it accepts and
    ///   what was given.
    public required init(value: Any) throws(RealmError) {
        try ValueConversion.unmanaged().fill(self, with: value)
    }

    deinit {
        if __ownsCluster { __cluster.release() }
        __seen?.release()
    }

    /// The column names of properties, where they differ: override to rename columns.
    open class func propertiesMapping() -> [String: String] { [:] }
}

@available(
    *, unavailable,
    message: "live objects stay on their actor: pass on object.freeze() or object.reference"
)
extension ObjectBase: Sendable {}

/// What an accessor represents.
@frozen @usableFromInline
package enum AccessorState {
    /// Its values are in its own wrappers.
    @inlinable package static var unmanaged: UInt8 { 0 }
    /// A row of an immutable version.
    @inlinable package static var frozen: UInt8 { 1 }
    /// A row of a transaction or a live realm.
    @inlinable package static var live: UInt8 { 2 }
    /// Records the key path that is evaluated on it.
    @inlinable package static var tracing: UInt8 { 3 }
    /// A live accessor whose row was deleted; it keeps its last values.
    @inlinable package static var invalidated: UInt8 { 4 }
}
