/// When an engine's entry counts as durable.
package enum SharedLogDurability: Sendable, Hashable {
    /// When at least a second machine has it on disk.
    case quorum
    /// When the single server has it on disk.
    case singleServer
}
