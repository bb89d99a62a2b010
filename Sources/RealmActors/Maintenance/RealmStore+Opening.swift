import Storage

extension RealmStore {
    /// Compacts a store that was just opened, if the configuration's `shouldCompactOnOpen` returns
    /// true for its sizes.
    ///
    /// Not when another process keeps writing for longer than a write would wait, and only as far
    /// as the disk has space for it: the opener of a store wants to use it, and can do so as it is.
    func compactIfAsked() async throws {
        let configuration = currentConfiguration
        guard let ask = configuration.shouldCompactOnOpen, configuration.path != nil,
            !configuration.readOnly
        else { return }
        let engine = engine
        let total = try await BlockingWork.run {
            try RealmError.translating { try engine.allocatedBytes() }
        }
        let used = min(engine.liveBytes, total)
        guard total > 0, ask(total, used) else { return }
        do {
            try await compact()
        } catch RealmError.writerBusy, RealmError.outOfSpace {}
    }
}
