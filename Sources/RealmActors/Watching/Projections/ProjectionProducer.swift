import Storage

/// Makes the changes of one projection from those of its object.
struct ProjectionProducer<P: ProjectionObservable>: ChangeProducer {
    private var base: ObjectProducer<P.Root>
    private let reported: [ProjectedProperty]
    /// The values that the consumer saw last, see ``ProjectedValue``.
    private var values: [StoredValue?]

    init(_ projection: FrozenProjection<P>, _ watched: ProjectionPaths) throws(RealmError) {
        let object = projection.rootObject
        base = try ObjectProducer(object, watched.paths)
        reported = watched.reported
        values = Self.values(reported, of: object)
    }

    var watched: Set<ClassID> { base.watched }

    var interest: CommitInterest { base.interest }

    func startsBefore(_ moment: Snapshot) -> Bool { base.startsBefore(moment) }

    mutating func begin(at moment: Snapshot) -> StreamBeginning { base.begin(at: moment) }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) throws(RealmError) -> ProducerResult<ProjectionChange<P>> {
        switch try base.produce(marks, at: moment) {
        case .nothing: return .nothing
        case .finished: return .finished
        case .last: return .last(.deleted)
        case .element(.deleted): return .last(.deleted)
        case .element(.change(let object, let changes)):
            let projected = self.changes(Set(changes.map(\.name)), of: object)
            if projected.isEmpty { return .nothing }
            return .element(.change(FrozenProjection(projecting: object), projected))
        }
    }

    private mutating func changes(
        _ names: Set<String>, of object: Frozen<P.Root>
    ) -> [PropertyChange] {
        let present = Self.values(reported, of: object)
        defer { values = present }
        var changes: [PropertyChange] = []
        for (index, property) in reported.enumerated() where property.dependsOn(names) {
            changes.append(
                PropertyChange(
                    name: property.name,
                    oldValue: values[index].map { FrozenValue($0, target: nil, object.context) },
                    newValue: present[index].map { FrozenValue($0, target: nil, object.context) }))
        }
        return changes
    }

    private static func values(
        _ properties: [ProjectedProperty], of object: Frozen<P.Root>
    ) -> [StoredValue?] {
        properties.map { ProjectedValue.stored(object.object[keyPath: $0.keyPath.path] as Any) }
    }
}
