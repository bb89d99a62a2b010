import Synchronization

/// Whether `work` comes to its end, however it ends, before a long time has passed. What hangs is
/// left behind, so that the test fails instead of hanging with it.
func comesToAnEnd(_ work: @escaping @Sendable () async throws -> Void) async -> Bool {
    let end = End()
    Task {
        try? await work()
        end.hasCome.store(true, ordering: .releasing)
    }
    return await soon { end.hasCome.load(ordering: .acquiring) }
}

/// Whether something becomes so. The limit only ends a test that hangs: beside a thousand other
/// tests on two cores, a task may wait for minutes.
func soon(
    isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(1_200)
    while ContinuousClock.now < deadline {
        if try await isSo() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return try await isSo()
}

private final class End: Sendable {
    let hasCome = Atomic<Bool>(false)
}
