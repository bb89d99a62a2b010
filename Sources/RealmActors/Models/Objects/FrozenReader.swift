// Unchecked, because the same classes represent live objects and results, which are confined; the
// invariants below make it safe.
/// An immutable reader of one frozen version: a frozen object, a projection of one, the plan of
/// frozen results.
///
/// Its maker guarantees two invariants. The reader belongs to a ``FrozenContext``: objects are in
/// the frozen state, in which no code path writes to them or to their wrappers. And no API lets
/// another isolation keep it: `withObject`, which passes it to a closure, returns Sendable results
/// only.
@frozen @usableFromInline
package struct FrozenReader<Reader: AnyObject>: @unchecked Sendable {
    @usableFromInline package let reader: Reader

    @inlinable
    package init(_ reader: Reader) { self.reader = reader }
}
