import Storage

/// Runs a long reading of the disk on a thread of its own and ends it when its task is cancelled.
enum CancellableReading {
    static func run<R: Sendable>(
        progress: (@Sendable (Double) -> Void)?,
        _ work: @escaping @Sendable (ReadingMonitor) throws -> R
    ) async throws -> R {
        let monitor = ReadingMonitor(progress: progress)
        return try await withTaskCancellationHandler {
            try await BlockingWork.run {
                try RealmError.translating { try work(monitor) }
            }
        } onCancel: {
            monitor.cancel()
        }
    }
}
