import Storage
import StorageHarness

extension Campaign {
    /// Random edits, versions, schema changes and reopenings, compared with plain values.
    static let models = Campaign(
        id: "C7", title: "operations against a model", unit: "operations", shortCount: { 2_000 }
    ) { seed, _ in
        let store = CrashStore(MemoryFileSystem(), seed: seed)
        try store.open()
        while store.workload.editCount < 200 {
            let step = store.anyStep()
            do {
                try await store.run(step)
            } catch {
                throw Violation("\(step) after \(store.workload.editCount) edits: \(error)")
            }
        }
        try await store.run(.unpin)
        try await store.run(.reopen)
        try await store.close()
        return store.workload.editCount
    }
}
