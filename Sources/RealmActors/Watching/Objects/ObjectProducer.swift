import Storage

/// Makes the changes of one object: the watched properties that were written, with the values that
/// the consumer saw last.
struct ObjectProducer<T: ObjectBase>: ChangeProducer {
    private let model: ModelBinding
    private let key: RowKey
    private let identity: RowIdentity
    private let paths: [WatchedPath]
    /// Why the changes since the object's version are not available.
    private var refusal: RealmError?
    private var finder: ModificationFinder
    /// The values of the watched properties that are not collections, by name.
    private var values: [String: StoredValue]
    /// The version of the frozen object, with a hash of the values on each path.
    private let origin: VersionMoment
    private let images: [Int]
    /// The properties that changed between that version and the beginning of the subscription.
    private var carried: Set<String> = []

    /// The changes of an object from its version on.
    init(_ object: Frozen<T>, _ names: [[String]]) throws(RealmError) {
        let context = object.context
        let view = context.view
        let model: ModelBinding = object.object.__model
        let key = object.object.__key
        let watched = try context.watched(
            names, root: model.classID, ifNone: .paths(Self.ownPaths(model)))
        var paths: [WatchedPath] = []
        if case .paths(let resolved) = watched { paths = resolved }
        self.model = model
        self.key = key
        identity = RowIdentity(of: object.object, in: context)
        self.paths = paths
        finder = ModificationFinder(root: model.classID, watched: watched, schema: view.schema)
        origin = object.snapshot.root.moment
        images = paths.map { PathValueHash.hash($0, of: key, in: view) }
        values = Self.values(model, key, paths, view)
    }

    private static func ownPaths(_ model: ModelBinding) -> [WatchedPath] {
        model.properties.filter { $0.origin == nil }.map { property in
            let step = PathStep.column(property.column, of: model.classID)
            return WatchedPath(name: property.name, steps: [step])
        }
    }

    /// The present values of the root properties that hold one value.
    private static func values(
        _ model: ModelBinding, _ key: RowKey, _ paths: [WatchedPath], _ view: TreeView
    ) -> [String: StoredValue] {
        guard let row = view.classView(model.classID).locate(key) else { return [:] }
        var values: [String: StoredValue] = [:]
        for path in paths {
            guard case .column(let column, let id)? = path.steps.first else { continue }
            let schema = view.schema[id].columns[column.rawValue]
            guard schema.container == .none else { continue }
            values[path.name] = row.cluster.value(column.rawValue, row.slot, schema)
        }
        return values
    }

    var watched: Set<ClassID> { finder.watched }

    /// Only commits of the object's own row matter, unless a path leads across a link: there may be
    /// a stream for each of thousands of objects.
    var interest: CommitInterest {
        let isOwn = paths.allSatisfy { path in
            guard path.steps.count == 1, case .column? = path.steps.first else { return false }
            return true
        }
        return isOwn ? .row(key, of: model.classID) : .classes(watched)
    }

    func startsBefore(_ moment: Snapshot) -> Bool { refusal(at: moment) == nil }

    mutating func begin(at moment: Snapshot) -> StreamBeginning {
        let view = moment.view
        refusal = refusal(at: moment)
        finder.reset([key], in: TreeGraph(view: view))
        if refusal != nil || !identity.isThere(at: moment) { return .change }
        for (path, image) in zip(paths, images)
        where PathValueHash.hash(path, of: key, in: view) != image {
            carried.insert(path.name)
        }
        return carried.isEmpty ? .nothing : .change
    }

    /// Why the changes from the object's version to `latest`, the newest one, are not available.
    private func refusal(at latest: Snapshot) -> RealmError? {
        if latest.root.moment.invalidates(origin) || identity.isTaken(at: latest) {
            return .changesOfLostVersion(T.self)
        }
        return latest.root.version < origin.name.version ? .changesInsideWrite(T.self) : nil
    }

    mutating func produce(
        _ marks: MergedMarks, at moment: Snapshot
    ) throws(RealmError) -> ProducerResult<ObjectChange<T>> {
        if let refusal { throw refusal }
        let context = moment.context
        guard identity.isThere(at: moment, marks),
            let object = context.object(model, key) as? T
        else { return .last(.deleted) }
        let values = Self.values(model, key, paths, moment.view)
        var names = carried
        names.formUnion(
            finder.modifiedNames(of: key, by: marks, in: TreeGraph(view: moment.view)))
        if marks.isEverything {
            // The marks were dropped: compare the values; collections and longer paths count as
            // changed.
            for path in paths {
                let (old, new) = (self.values[path.name], values[path.name])
                if path.steps.count == 1, let old, let new, old.isStoredLike(new) { continue }
                names.insert(path.name)
            }
        }
        if names.isEmpty { return .nothing }
        let changes = changes(names, values, context)
        carried = []
        self.values = values
        return .element(.change(Frozen(frozen: object), changes))
    }

    private func changes(
        _ names: Set<String>, _ values: [String: StoredValue], _ context: FrozenContext
    ) -> [PropertyChange] {
        var changes: [PropertyChange] = []
        for path in paths where names.contains(path.name) && changes.last?.name != path.name {
            var target: ClassID?
            if case .column(let column, let id)? = path.steps.first {
                target = context.view.schema[id].columns[column.rawValue].target
            }
            changes.append(
                PropertyChange(
                    name: path.name,
                    oldValue: self.values[path.name].map {
                        FrozenValue($0, target: target, context)
                    },
                    newValue: values[path.name].map { FrozenValue($0, target: target, context) }))
        }
        return changes
    }
}

extension RealmError {
    /// Changes of an object were requested from a version that was lost in a crash: its row may
    /// belong to another object now.
    static func changesOfLostVersion(_ model: ObjectBase.Type) -> RealmError {
        .invalidObject(
            "The changes of a '\(model)' were requested from a version that was rolled back: by a "
                + "crash before it was durable, or with its transaction. Read the object again and "
                + "observe that.")
    }

    /// Changes of an object were requested in a write that is not committed.
    static func changesInsideWrite(_ model: ObjectBase.Type) -> RealmError {
        .invalidObject(
            "The changes of a '\(model)' were requested inside a write, from a state that may be "
                + "rolled back. Request them after the write has returned, from the object or from "
                + "what freeze() returned in the write.")
    }
}
