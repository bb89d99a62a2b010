// Unchecked, because the same classes stand for live objects and results, which are confined: the
// invariants make it safe.
/// What reads one frozen version and is never changed: a frozen object, a projection of
/// one, the plan of frozen results.
///
/// Invariants, which the maker of one sees to. The reader belongs to a ``FrozenContext``: objects
/// are in the frozen state, in which no code path writes to them or to their wrappers. And no API
/// gives it out in a way that another isolation could keep: what lends it (`withObject`) lets only
/// Sendable results out.
@frozen @usableFromInline
package struct FrozenReader<Reader: AnyObject>: @unchecked Sendable {
    @usableFromInline package let reader: Reader

    @inlinable
    package init(_ reader: Reader) { self.reader = reader }
}
