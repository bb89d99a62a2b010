public import Observation
package import Storage
import Synchronization

/// Connects the live objects of one live realm to Swift's Observation.
///
/// All accessors of a live realm share one registrar, so that tracking an object survives the
/// accessor through which it was read. What is observed is a key path to ``ObjectBase`` that
/// carries row and column. Making one costs an allocation, so a read first presents a constant key
/// path: only when someone tracks is it hashed, and only then is the exact one made.
@usableFromInline
package final class ObservationHub {
    private let registrar = ObservationRegistrar()
    private let probe = TrackingProbe()
    private let probePath: KeyPath<ObjectBase, Int>
    private var observed: Set<ObservedProperty> = []

    /// Whether someone tracks a property, or did.
    package var isWatched: Bool { !observed.isEmpty }

    package init() {
        let property = ObservedProperty(probe: probe)
        probePath = \ObjectBase[_observed: property]
    }

    /// Tells whoever tracks that a property is read.
    @usableFromInline
    package func access(_ object: ObjectBase, _ column: Int) {
        registrar.access(object, keyPath: probePath)
        guard probe.wasHashed else { return }
        probe.reset()
        let property = ObservedProperty(object.__model.classID, object.__key, column)
        observed.insert(property)
        registrar.access(object, keyPath: \ObjectBase[_observed: property])
    }

    /// Tells trackers that a property is about to change.
    package func willChange(_ object: ObjectBase, _ column: Int) {
        guard isWatched else { return }
        let property = ObservedProperty(object.__model.classID, object.__key, column)
        guard observed.contains(property) else { return }
        registrar.willSet(object, keyPath: \ObjectBase[_observed: property])
    }

    /// Tells trackers that a property has changed.
    @usableFromInline
    package func didChange(_ object: ObjectBase, _ column: Int) {
        guard isWatched else { return }
        let property = ObservedProperty(object.__model.classID, object.__key, column)
        guard observed.remove(property) != nil else { return }
        registrar.didSet(object, keyPath: \ObjectBase[_observed: property])
    }

    /// Tells trackers of properties that will show something else. Called before the live realm
    /// moves on; ``didMove(_:)`` takes the result after it did.
    package func willMove(_ isAffected: (ObservedProperty) -> Bool) -> [ObservedProperty] {
        let affected = observed.filter(isAffected)
        let subject = ObjectBase()
        for property in affected {
            registrar.willSet(subject, keyPath: \ObjectBase[_observed: property])
        }
        return Array(affected)
    }

    /// Tells trackers that the live realm has moved on.
    package func didMove(_ affected: [ObservedProperty]) {
        let subject = ObjectBase()
        for property in affected {
            observed.remove(property)
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

    /// Stands for whether the row is there, where a column would stand.
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

    package static func == (a: ObservedProperty, b: ObservedProperty) -> Bool {
        a.classID == b.classID && a.key == b.key && a.column == b.column && a.probe === b.probe
    }

    package func hash(into hasher: inout Hasher) {
        probe?.noteHash()
        hasher.combine(classID)
        hasher.combine(key)
        hasher.combine(column)
    }
}

/// Notices that Observation hashed a key path, which it does only while someone tracks.
private final class TrackingProbe: Sendable {
    private let hashed = Atomic<Bool>(false)

    var wasHashed: Bool { hashed.load(ordering: .relaxed) }
    func reset() { hashed.store(false, ordering: .relaxed) }
    func noteHash() { hashed.store(true, ordering: .relaxed) }
}

extension ObjectBase: Observable {}

extension ObjectBase {
    /// Stands for a property in Observation's key paths; never evaluated by it.
    subscript(_observed property: ObservedProperty) -> Int { property.column }
}
