#if THREAD_SANITIZER
    import Foundation

    // Unchecked: the value is touched with the lock held only, and freed with the last reference.
    /// Replaces `Synchronization.Mutex` in builds for Thread Sanitizer, which cannot see that one
    /// lock and unlock on Linux and reports every critical section as a race. Such builds define
    /// `THREAD_SANITIZER`; no other build has this type.
    ///
    /// Each module selects it with a file of its own: only a declaration of the module itself
    /// shadows an imported one, and an alias here would not make the members visible.
    package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock = NSLock()
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value.pointee)
        }

        package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard lock.try() else { return nil }
            defer { lock.unlock() }
            return try body(&value.pointee)
        }
    }
#endif
