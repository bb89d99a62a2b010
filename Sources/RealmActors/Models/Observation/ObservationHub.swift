public import Observation
package import Storage
import Synchronization

/// Connects the live objects of one live realm to Swift's Observation.
///
/// All accessors of a live realm share one registrar, so that tracking an object survives the
/// accessor through which it was read. The observed key path of ``ObjectBase`` contains row and
/// column. Creating one costs an allocation, so a read first presents a constant key path:
/// Observation hashes it only when a tracker is active, and only then the exact one is created.
@usableFromInline
package final class ObservationHub {
    private let registrar = ObservationRegistrar()
    private let probe = TrackingProbe()
    private let probePath: KeyPath<ObjectBase, Int>
    private var observed: Set<ObservedProperty> = []
    /// The same sorted by class and row; nil after another property was tracked.
    private var ordered: [ObservedProperty]?
    /// Properties whose trackers were notified that they will change, and not yet that they have.
    private var changing: [ObservedProperty] = []

    /// Those among them that were added since ``removeUntracked()``.
    private var recent: [ObservedProperty] = []
    /// The number beyond which properties that are no longer tracked are removed.
    private var observedMax = ObservationHub.observedMin
    private static let observedMin = 1_024

    /// The number of properties that are or were tracked, for tests.
    package var observedCount: Int { observed.count }

    /// Whether a property is or was tracked.
    package var isWatched: Bool { !observed.isEmpty }

    package init() {
        let property = ObservedProperty(probe: probe)
        probePath = \ObjectBase[_observed: property]
    }

    /// Records for trackers that a property is read.
    @usableFromInline
    package func access(_ object: ObjectBase, _ column: Int) {
        registrar.access(object, keyPath: probePath)
        guard probe.wasHashed else { return }
        probe.reset()
        let property = ObservedProperty(object.__model.classID, object.__key, column)
        if observed.insert(property).inserted {
            ordered = nil
            recent.append(property)
        }
        registrar.access(object, keyPath: \ObjectBase[_observed: property])
    }

    /// Removes properties that are no longer tracked, once there are twice as many as after the
    /// last removal.
    ///
    /// A tracker ends with the first change, or when it is released; its other properties would be
    /// compared at each move of the realm.
    private func removeUntracked() {
        defer { recent.removeAll() }
        guard observed.count > observedMax else { return }
        // Keep recent ones: Observation registers the reads of a closure when it returns, and it
        // may still run.
        let recent = Set(recent)
        let subject = ObjectBase()
        observed = observed.filter { property in
            if recent.contains(property) { return true }
            // It equals no tracked property, so that no tracker is notified.
            let probing = ObservedProperty(probing: property, probe)
            registrar.willSet(subject, keyPath: \ObjectBase[_observed: probing])
            return probe.takeMatch()
        }
        probe.reset()
        ordered = nil
        observedMax = max(Self.observedMin, 2 * observed.count)
    }

    /// Notifies trackers that a property is about to change.
    package func willChange(_ object: ObjectBase, _ column: Int) {
        guard isWatched else { return }
        let property = ObservedProperty(object.__model.classID, object.__key, column)
        // Before the notification: a tracker that observes it again in response is notified of the
        // next change.
        guard observed.remove(property) != nil else { return }
        ordered = nil
        changing.append(property)
        registrar.willSet(object, keyPath: \ObjectBase[_observed: property])
    }

    /// Notifies trackers that a property has changed.
    @usableFromInline
    package func didChange(_ object: ObjectBase, _ column: Int) {
        if changing.isEmpty { return }
        let property = ObservedProperty(object.__model.classID, object.__key, column)
        guard let index = changing.lastIndex(of: property) else { return }
        changing.remove(at: index)
        registrar.didSet(object, keyPath: \ObjectBase[_observed: property])
    }

    /// Notifies trackers of properties that will differ, or of all without a comparison. Called
    /// before the live realm moves; pass the result to ``didMove(_:)`` after it.
    func willMove(_ comparison: ObservedComparison?) -> [ObservedProperty] {
        guard isWatched else { return [] }
        removeUntracked()
        let all = ordered ?? observed.sorted { $0.precedes($1) }
        ordered = all
        let affected = comparison.map { $0.differing(all) } ?? all
        if affected.isEmpty { return [] }
        // Before the notification, as above.
        observed.subtract(affected)
        ordered = nil
        let subject = ObjectBase()
        for property in affected {
            registrar.willSet(subject, keyPath: \ObjectBase[_observed: property])
        }
        return affected
    }

    /// Notifies trackers that the live realm has moved.
    package func didMove(_ affected: [ObservedProperty]) {
        if affected.isEmpty { return }
        let subject = ObjectBase()
        for property in affected {
            registrar.didSet(subject, keyPath: \ObjectBase[_observed: property])
        }
    }
}

@available(*, unavailable)
extension ObservationHub: Sendable {}

/// A column of a row, as the argument of an observed key path.
package struct ObservedProperty: Hashable, Sendable {
    package let classID: ClassID
    package let key: RowKey
    package let column: Int
    private let probe: TrackingProbe?

    /// In place of a column: whether the row exists.
    package static let existence = -1

    fileprivate init(_ classID: ClassID, _ key: RowKey, _ column: Int) {
        self.classID = classID
        self.key = key
        self.column = column
        probe = nil
    }

    fileprivate init(probe: TrackingProbe) {
        classID = ClassID(-1)
        key = RowKey(-1)
        column = Self.existence
        self.probe = probe
    }

    /// A probe for trackers of a property: it has the same hash, and does not equal the property.
    fileprivate init(probing property: ObservedProperty, _ probe: TrackingProbe) {
        classID = property.classID
        key = property.key
        column = property.column
        self.probe = probe
    }

    package static func == (a: ObservedProperty, b: ObservedProperty) -> Bool {
        guard a.classID == b.classID, a.key == b.key, a.column == b.column else { return false }
        if a.probe === b.probe { return true }
        (a.probe ?? b.probe)?.noteMatch()
        return false
    }

    /// The order of classes, rows and columns.
    func precedes(_ other: ObservedProperty) -> Bool {
        if classID != other.classID { return classID.rawValue < other.classID.rawValue }
        return key == other.key ? column < other.column : key < other.key
    }

    package func hash(into hasher: inout Hasher) {
        probe?.noteHash()
        hasher.combine(classID)
        hasher.combine(key)
        hasher.combine(column)
    }
}

/// Records that Observation hashed a key path, which it does only while a tracker is active, and
/// that it found a tracked one.
private final class TrackingProbe: Sendable {
    private let hashed = Atomic<Bool>(false)
    private let matched = Atomic<Bool>(false)

    var wasHashed: Bool { hashed.load(ordering: .relaxed) }
    func reset() { hashed.store(false, ordering: .relaxed) }
    func noteHash() { hashed.store(true, ordering: .relaxed) }
    func noteMatch() { matched.store(true, ordering: .relaxed) }
    func takeMatch() -> Bool { matched.exchange(false, ordering: .relaxed) }
}

extension ObjectBase: Observable {}

extension ObjectBase {
    /// Represents a property in Observation's key paths; never evaluated by it.
    subscript(_observed property: ObservedProperty) -> Int { property.column }
}
