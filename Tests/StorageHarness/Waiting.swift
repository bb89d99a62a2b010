/// Waits until a condition is true, for a minute at most: the caller checks it afterwards.
package func wait(until isTrue: () -> Bool) async throws {
    for _ in 0..<60_000 where !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
}
