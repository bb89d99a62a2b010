import Foundation

/// Runs `body` on a thread with a stack as small as that of a secondary thread on Apple's systems,
/// where what calls itself once for each part of its input ends the process.
func onSmallStack<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body()) }
        thread.stackSize = 512 << 10
        thread.start()
    }
}
