#if canImport(Darwin)
    import Dispatch
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A semaphore for threads with timeouts by a monotonic clock.
///
/// On Linux, timeouts of `DispatchSemaphore` use the wall clock: if it is set back during a wait,
/// the wait takes longer by as much, perhaps hours.
package final class ThreadSemaphore: Sendable {
    #if canImport(Darwin)
        private let semaphore = DispatchSemaphore(value: 0)

        package init() {}

        /// Ends one wait, the next one if there is none.
        package func signal() { semaphore.signal() }

        /// Waits for a signal.
        package func wait() { semaphore.wait() }

        /// Waits for a signal, at most for `limit`; false if there was none.
        package func wait(upTo limit: Duration) -> Bool {
            semaphore.wait(timeout: .now() + .nanoseconds(Int(limit.clampedNanoseconds)))
                == .success
        }
    #else
        private struct State {
            var mutex = pthread_mutex_t()
            var condition = pthread_cond_t()
            var count = 0
        }

        // Unsafe: allocated with this and freed with its last reference, so that each part has one
        // address. The count is accessed with the mutex held only.
        private nonisolated(unsafe) let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

        package init() {
            state.initialize(to: State())
            pthread_mutex_init(&state.pointee.mutex, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(&state.pointee.condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(&state.pointee.condition)
            pthread_mutex_destroy(&state.pointee.mutex)
            state.deallocate()
        }

        /// Ends one wait, the next one if there is none.
        package func signal() {
            pthread_mutex_lock(&state.pointee.mutex)
            state.pointee.count += 1
            pthread_mutex_unlock(&state.pointee.mutex)
            pthread_cond_signal(&state.pointee.condition)
        }

        /// Waits for a signal.
        package func wait() {
            pthread_mutex_lock(&state.pointee.mutex)
            while state.pointee.count == 0 {
                pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex)
            }
            state.pointee.count -= 1
            pthread_mutex_unlock(&state.pointee.mutex)
        }

        /// Waits for a signal, at most for `limit`; false if there was none.
        package func wait(upTo limit: Duration) -> Bool {
            let end = Platform.monotonicClock &+ UInt64(limit.clampedNanoseconds)
            var moment = timespec()
            moment.tv_sec = time_t(end / 1_000_000_000)
            moment.tv_nsec = Int(end % 1_000_000_000)
            pthread_mutex_lock(&state.pointee.mutex)
            defer { pthread_mutex_unlock(&state.pointee.mutex) }
            while state.pointee.count == 0 {
                let result = pthread_cond_timedwait(
                    &state.pointee.condition, &state.pointee.mutex, &moment)
                if result == ETIMEDOUT { break }
            }
            if state.pointee.count == 0 { return false }
            state.pointee.count -= 1
            return true
        }
    #endif
}

extension Duration {
    /// Clamped to the range from zero to a century.
    fileprivate var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if self <= .zero { return 0 }
        return min(seconds, 1 << 31) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
