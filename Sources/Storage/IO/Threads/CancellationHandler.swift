/// As `withTaskCancellationHandler`, but `operation` runs on the caller's actor.
///
/// That of the standard library takes a `@concurrent` operation, which runs on the cooperative
/// pool: the caller would wait for two switches of threads, and in a process that has just started
/// for the creation of the threads of the pool.
package func withCancellationHandler<R>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> R,
    onCancel handler: @Sendable () -> Void
) async rethrows -> R {
    try await withTaskCancellationHandler {
        // The closure is isolated to the actor because it captures the parameter.
        _ = isolation
        return try await operation()
    } onCancel: {
        handler()
    }
}
