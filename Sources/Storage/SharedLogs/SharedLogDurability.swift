/// What an engine must have done before an entry counts as kept.
package enum SharedLogDurability: Sendable, Hashable {
    /// A second machine at least has it on its disk.
    case quorum
    /// The one server has it on its disk.
    case singleServer
}
