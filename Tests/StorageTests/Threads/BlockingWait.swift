import Storage

/// Whether a condition becomes true within a minute. Blocks, for tests that are not asynchronous.
func soon(_ isTrue: () -> Bool) -> Bool {
    for _ in 0..<60_000 {
        if isTrue() { return true }
        Platform.pause(for: .milliseconds(1))
    }
    return isTrue()
}
