// The clocks of the operating system, in nanoseconds. One of the files that depend on the operating
// system.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Platform {
    /// Nanoseconds since 1970, for people who read an epoch frame; nothing depends on it.
    package static var wallClock: UInt64 { nanoseconds(CLOCK_REALTIME) }

    /// Monotonic nanoseconds, for measurements; it may stop while the machine sleeps.
    package static var monotonicClock: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Monotonic nanoseconds that also advance while the machine sleeps, as those of
    /// `ContinuousClock`.
    static var continuousClock: UInt64 {
        #if canImport(Darwin)
            nanoseconds(CLOCK_MONOTONIC_RAW)
        #else
            nanoseconds(CLOCK_BOOTTIME)
        #endif
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return UInt64(bitPattern: Int64(now.tv_sec)) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
    }
}
