import Storage

extension RealmStore {
    /// Compacts a store that was just opened when the configuration says so, given the sizes.
    func compactIfAsked() async throws {
        guard let ask = configuration.shouldCompactOnOpen, configuration.path != nil,
            !configuration.readOnly
        else { return }
        let total = try RealmError.translating { try engine.allocatedBytes() }
        let used = min(engine.liveBytes, total)
        guard total > 0, ask(total, used) else { return }
        try await compact(isFull: true)
    }
}
