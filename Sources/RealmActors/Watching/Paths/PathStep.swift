import Storage

/// One property on the way of a key path, resolved to its place in the store.
enum PathStep: Hashable, Sendable {
    /// A column of class `of`.
    case column(ColumnID, of: ClassID)
    /// The rows of class `origin` whose `column` links to the row.
    case backlinks(origin: ClassID, column: ColumnID)
}

/// A key path that a subscriber watches.
struct WatchedPath: Hashable, Sendable {
    /// The name of the first property, under which changes are reported.
    let name: String
    /// The way from the root; every prefix counts as a change too.
    let steps: [PathStep]
}

/// What a subscriber watches of the objects of one class.
enum WatchedPaths: Sendable {
    /// Exactly these paths.
    case paths([WatchedPath])
    /// Everything that forward links reach, up to ``depth`` links away.
    case deep

    /// How many links the deep default follows.
    static let depth = 4

    /// The classes whose changes can matter.
    func classes(root: ClassID, schema: StoreSchema) -> Set<ClassID> {
        switch self {
        case .deep:
            return Set(ClassDistances(root: root, schema: schema, limit: Self.depth).byClass.keys)
        case .paths(let paths):
            var classes: Set<ClassID> = [root]
            for case let step in paths.flatMap(\.steps) {
                switch step {
                case .column(_, let id), .backlinks(let id, _): classes.insert(id)
                }
            }
            return classes
        }
    }
}

extension [RowKey] {
    /// Each row once. A row that is reached in many ways would be traversed once for each, and
    /// their number grows with every step of a key path.
    var once: [RowKey] { count > 1 ? Set(self).sorted() : self }
}

/// How many links each class is away from a root class.
struct ClassDistances: Sendable {
    private(set) var byClass: [ClassID: Int]

    init(root: ClassID, schema: StoreSchema, limit: Int) {
        byClass = [root: 0]
        var frontier = [root]
        for distance in 1...limit {
            var next: [ClassID] = []
            for target in frontier.flatMap({ schema[$0].columns.compactMap(\.target) })
            where byClass[target] == nil {
                byClass[target] = distance
                next.append(target)
            }
            frontier = next
        }
    }
}
