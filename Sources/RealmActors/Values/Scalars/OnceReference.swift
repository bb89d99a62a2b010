import Synchronization

/// A reference that is set at most once, by the first thread that needs it.
///
/// `AtomicLazyReference` does the same, but loading it is a generic call that is not inlined: it
/// costs as much as looking a row up.
struct OnceReference<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    // The address of an instance of which this owns one count; zero while there is none.
    private let word = Atomic<UInt>(0)

    init() {}

    deinit {
        // Unsafe: releases the count that `storeIfNil(_:)` took; no other reference is left.
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

    /// What `body` makes of the instance, which is not counted for that; nil while none was stored.
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
