#if PostgreSQL
    /// Ends a wait for a socket from another thread.
    final class WakePipe: Sendable {
        private let ends: (reading: Int32, writing: Int32)

        init() throws(SharedLogError) {
            guard let ends = Platform.makePipe() else {
                throw .unavailable(Platform.message(for: Platform.errorNumber))
            }
            self.ends = ends
        }

        /// Can be read once ``signal()`` was called.
        var descriptor: Int32 { ends.reading }

        /// Stays until ``reset()``.
        func signal() { Platform.fillPipe(ends.writing) }

        func reset() { Platform.drainPipe(ends.reading) }

        deinit {
            Platform.closeDescriptor(ends.reading)
            Platform.closeDescriptor(ends.writing)
        }
    }
#endif
