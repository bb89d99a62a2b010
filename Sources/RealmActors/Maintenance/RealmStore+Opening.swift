import Storage

extension RealmStore {
    /// Compacts a store that was just opened, if the configuration's `shouldCompactOnOpen` returns
    /// true for its sizes.
    ///
    /// Gives up without an error when another process keeps writing beyond `writeTimeout`, or the
    /// disk is full: the store can be used without compaction.
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
