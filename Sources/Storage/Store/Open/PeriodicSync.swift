/// Syncs a relaxed store periodically. The interval begins after the previous sync, so that slow
/// syncs do not pile up.
struct PeriodicSync: Sendable {
    typealias Completion = @Sendable () -> Void

    let interval: Duration
    /// Syncs and calls back once, or returns false if the store is gone.
    let sync: @Sendable (@escaping Completion) -> Bool

    /// Runs until the task is cancelled, or the store is gone.
    func run() async {
        while (try? await Task.sleep(for: interval)) != nil {
            // Unsafe: resumed exactly once, by `sync` or here.
            let shouldContinue = await withUnsafeContinuation { continuation in
                if !sync({ continuation.resume(returning: true) }) {
                    continuation.resume(returning: false)
                }
            }
            if !shouldContinue { return }
        }
    }
}
