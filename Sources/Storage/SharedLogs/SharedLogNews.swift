/// What is new in a shared log for the watcher of one host.
struct SharedLogNews {
    var watch: (slot: LogSlot, noticed: SharedLogWatcher)?
    /// Whether the watcher must check the log: it was woken, or an entry may have been missed.
    var isCheckDue = false
    /// The newest slot that is known to be filled.
    var newest = LogSlot(0)
    var messages: [[UInt8]] = []
    /// The slot for which the watcher was called last.
    private var notified: LogSlot?

    /// The pending notice for the watcher, if any. That of a failure leaves the messages.
    mutating func takeNotice(of failure: SharedLogError? = nil) -> SharedLogNotice? {
        guard let (slot, noticed) = watch else { return nil }
        guard slot <= newest || isCheckDue || failure != nil || !messages.isEmpty
        else { return nil }
        watch = nil
        isCheckDue = false
        // A watcher that advances may not have read all entries yet. One that returns for the same
        // slot did not find the reported entry.
        if notified == slot { newest = LogSlot(0) }
        notified = slot
        if let failure { return SharedLogNotice(noticed, .failure(failure)) }
        defer { messages = [] }
        return SharedLogNotice(noticed, .success(messages))
    }
}
