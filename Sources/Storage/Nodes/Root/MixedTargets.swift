/// The classes that links in mixed values of one class may refer to, as recorded in its root.
///
/// Each bit represents every 31st class, so there can be false positives, but no false negatives.
/// Stores from before this was recorded have no bits, which means unknown.
struct MixedTargets: Equatable, Sendable {
    private(set) var bits: UInt32

    private static let known: UInt32 = 1 << 31

    static let none = MixedTargets(bits: known)

    init(bits: UInt32) { self.bits = bits }

    private static func bit(_ id: ClassID) -> UInt32 { 1 << UInt32(id.rawValue % 31) }

    mutating func insert(_ id: ClassID) { bits |= Self.bit(id) }

    /// Adds classes; unknown targets stay unknown.
    mutating func formUnion(_ other: MixedTargets) {
        if bits != 0 { bits |= other.bits }
    }

    /// Whether there may be a link to a row of one of these classes.
    func mayLead(to others: MixedTargets) -> Bool {
        bits & Self.known == 0 || bits & others.bits & ~Self.known != 0
    }

    /// Whether no class was added.
    var isEmpty: Bool { bits & ~Self.known == 0 }
}

extension StoredValue {
    /// Calls `body` with each object that a value of any type links to, or a collection in it.
    func forEachObject(_ body: (ClassID, RowKey) -> Void) {
        if case .object(let id, let key) = self { body(id, key) }
        switch collection?.elements {
        case .list(let elements)?: for element in elements { element.forEachObject(body) }
        case .dictionary(let entries)?: for entry in entries { entry.value.forEachObject(body) }
        case nil: break
        }
    }

    /// The same with every link of a mixed value mapped; within collections, links mapped to nil
    /// become null.
    func mapObjects(_ target: (ClassID, RowKey) -> RowKey?) -> StoredValue? {
        if case .object(let id, let key) = self { return target(id, key).map { .object(id, $0) } }
        switch collection {
        case (let id, .list(let elements))?:
            return .list(id, elements.map { $0.mapObjects(target) ?? .null })
        case (let id, .dictionary(let entries))?:
            return .dictionary(
                id,
                entries.map {
                    NestedEntry(key: $0.key, value: $0.value.mapObjects(target) ?? .null)
                })
        case nil: return self
        }
    }

    /// The classes of the objects that the value links to.
    var mixedTargets: MixedTargets {
        var targets = MixedTargets.none
        forEachObject { id, _ in targets.insert(id) }
        return targets
    }
}
