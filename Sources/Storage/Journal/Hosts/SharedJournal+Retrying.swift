/// Calls to an engine that may not answer at once.
extension SharedJournal {
    /// Repeats a call while the engine does not answer, and `goesOn` is true.
    func retrying<R>(
        while goesOn: () -> Bool = { true }, _ call: () throws(SharedLogError) -> R
    ) throws(StorageError) -> R {
        var patience = realm.patience
        while true {
            do throws(SharedLogError) {
                return try call()
            } catch {
                demandBarrier()
                if error.mayPass, goesOn(), waitsOnceMore(&patience) { continue }
                throw StorageError(error)
            }
        }
    }

    /// Waits for a moment; false when there is no time left for that, or the store is closed.
    func waitsOnceMore(_ patience: inout RetryPatience) -> Bool {
        !isStopping && patience.waitsOnceMore()
    }
}
