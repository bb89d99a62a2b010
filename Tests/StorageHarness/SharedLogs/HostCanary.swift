/// A mistake that hosts, or the engine of a shared log, must not make. Each can be switched on, to
/// see that schedules find it.
package enum HostCanary: Sendable, CaseIterable {
    /// The engine writes into a slot whatever is there, and behind whatever entry.
    case appendsWithoutCondition
    /// What was read of an engine that was restarted is taken for kept.
    case readsWithoutBarrier
    /// An append counts as done when it was sent.
    case acknowledgesEarly
    /// An append whose outcome is unknown is repeated in the next slot that is free.
    case retriesInNewSlot
    /// A body runs again although its commit may be there.
    case runsAgainInDoubt
    /// A stream loses a row.
    case tellsTooLittle
}
