import Synchronization

/// A reference that is set at most once, by the first thread that needs it.
///
/// `AtomicLazyReference` does the same, but its load is a generic call that is not inlined, and
/// costs as much as looking up a row.
struct OnceReference<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    // The address of an instance that this retains; zero while there is none.
    private let word = Atomic<UInt>(0)

    init() {}

    deinit {
        // Unsafe: balances the retain of `storeIfNil(_:)`; nothing else uses this reference any
        // more.
        reference(word.load(ordering: .relaxed))?.release()
    }

    // Unsafe: every word that is not zero is the address of an instance that this keeps alive.
    @inline(__always)
    private func reference(_ word: UInt) -> Unmanaged<Instance>? {
        UnsafeRawPointer(bitPattern: word).map { Unmanaged.fromOpaque($0) }
    }

    /// Whether an instance was stored.
    @inline(__always)
    var isSet: Bool { word.load(ordering: .relaxed) != 0 }

    /// The instance, nil while none was stored.
    @inline(__always)
    func load() -> Instance? {
        // Unsafe: what was stored is kept for as long as this lives.
        reference(word.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// The result of `body` for the instance, without retaining it; nil while none was stored.
    @inline(__always)
    func withInstance<Result>(_ body: (Instance) -> Result) -> Result? {
        // Unsafe: what was stored is kept for as long as this lives.
        reference(word.load(ordering: .acquiring))?._withUnsafeGuaranteedRef(body)
    }

    /// Stores `instance` unless there is one; returns the one that is there now.
    func storeIfNil(_ instance: Instance) -> Instance {
        let mine = Unmanaged.passRetained(instance)
        let (isFirst, found) = word.compareExchange(
            expected: 0, desired: UInt(bitPattern: mine.toOpaque()),
            ordering: .acquiringAndReleasing)
        if isFirst { return instance }
        mine.release()
        return reference(found)?.takeUnretainedValue() ?? instance
    }
}
