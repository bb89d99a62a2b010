import Storage

/// Runs a long read of the disk on a thread of its own, or on one of `threads`, and ends it when
/// the task is cancelled.
enum CancellableReading {
    static func run<R: Sendable>(
        progress: (@Sendable (Double) -> Void)?, on threads: ReadingThreads? = nil,
        _ work: @escaping @Sendable (ReadingMonitor) throws -> R
    ) async throws -> R {
        let monitor = ReadingMonitor(progress: progress)
        return try await withCancellationHandler {
            try await BlockingWork.run(on: threads) {
                // It may have been cancelled while it waited for a thread.
                if threads != nil { try monitor.check() }
                return try RealmError.translating { try work(monitor) }
            }
        } onCancel: {
            monitor.cancel()
        }
    }
}
