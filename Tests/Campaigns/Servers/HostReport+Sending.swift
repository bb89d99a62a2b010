#if os(Linux) && PostgreSQL
    import Glibc
    import StorageHarness

    extension HostReport {
        /// The current moment, later than all previous ones.
        static var now: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }

        /// One line is one write, so that it is reported completely or not at all.
        func send() { say(line) }
    }
#endif
