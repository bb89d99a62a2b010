/// Syncs a relaxed store again and again, at an interval behind the sync before: on a disk that
/// takes longer there is one at a time, and none waits behind it.
struct PeriodicSync: Sendable {
    typealias Completion = @Sendable () -> Void

    let interval: Duration
    /// Syncs, and calls back once, or returns false when there is nothing left to sync.
    let sync: @Sendable (@escaping Completion) -> Bool

    /// Goes on until the task is cancelled, or there is nothing left to sync.
    func run() async {
        while (try? await Task.sleep(for: interval)) != nil {
            // Unsafe: resumed exactly once, by `sync` or here.
            let goesOn = await withUnsafeContinuation { continuation in
                if !sync({ continuation.resume(returning: true) }) {
                    continuation.resume(returning: false)
                }
            }
            if !goesOn { return }
        }
    }
}
