#if PostgreSQL
    // Waiting for sockets and pipes, for connections to engines of shared logs.

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    extension Platform {
        /// Waits until one of `descriptors` is readable, optionally until the first one is
        /// writable, or until `deadline`. True for each that is.
        static func poll(
            _ descriptors: [Int32], writing: Bool = false, until deadline: Instant
        ) -> [Bool] {
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if writing { entries[0].events |= Int16(POLLOUT) }
            var count: Int32
            repeat {
                let rest = Instant.now.duration(to: deadline)
                count = systemPoll(&entries, nfds_t(entries.count), milliseconds(rest))
                // A day at most at a time, and a signal may end it early.
            } while count < 0 && errno == EINTR || count == 0 && Instant.now < deadline
            return entries.map { count > 0 && $0.revents != 0 }
        }

        private static func systemPoll(
            _ entries: inout [pollfd], _ count: nfds_t, _ limit: Int32
        ) -> Int32 {
            #if canImport(Darwin)
                Darwin.poll(&entries, count, limit)
            #elseif canImport(Glibc)
                Glibc.poll(&entries, count, limit)
            #elseif canImport(Musl)
                Musl.poll(&entries, count, limit)
            #endif
        }

        /// Rounded up, so that a wait does not end before its time, and a day at most.
        private static func milliseconds(_ duration: Duration) -> Int32 {
            guard duration > .zero else { return 0 }
            guard duration < .seconds(86_400) else { return 86_400_000 }
            let (seconds, attoseconds) = duration.components
            return Int32(
                seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }

        /// Both ends of a pipe that never blocks; nil when the system has none left.
        static func makePipe() -> (reading: Int32, writing: Int32)? {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            return (ends[0], ends[1])
        }

        /// Writes a byte into a pipe, or nothing when that is full.
        static func fillPipe(_ end: Int32) {
            var byte: UInt8 = 1
            _ = retrying { write(end, &byte, 1) }
        }

        /// Empties a pipe.
        static func drainPipe(_ end: Int32) {
            var bytes = [UInt8](repeating: 0, count: 64)
            while retrying({ read(end, &bytes, bytes.count) }) > 0 {}
        }
    }
#endif
