import Foundation

/// Work on a thread of its own: databases that block are not given the threads of tasks.
struct BackgroundThread<R: Sendable>: Sendable {
    private let results: AsyncStream<Result<R, any Error>>

    /// Starts at once.
    init(_ work: @escaping @Sendable () throws -> R) {
        let (results, continuation) = AsyncStream.makeStream(of: Result<R, any Error>.self)
        self.results = results
        Thread.detachNewThread {
            continuation.yield(Result { try work() })
            continuation.finish()
        }
    }

    /// Waits for the end of the work.
    func value() async throws -> R {
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
