import Storage

/// The directories of the simulated disk, as callers see them and as they are on the medium.
///
/// A change of a name waits for `sync` of its directory. Until then a crash may keep it or not, in
/// any combination with the others. A rename is one change: it never leaves neither name, except
/// when the file's creation is lost as well.
struct SimulatedNames: Sendable {
    enum Entry: Hashable, Sendable {
        case file(SimulatedFile.ID)
        case directory
    }

    private enum Change: Sendable {
        case add(String, Entry)
        case remove(String)
        case rename(String, to: String, Entry)

        /// The path whose directory has to be synced.
        var path: String {
            switch self {
            case .add(let path, _), .remove(let path): path
            case .rename(_, to: let path, _): path
            }
        }

        func apply(to names: inout [String: Entry]) {
            switch self {
            case .add(let path, let entry): names[path] = entry
            case .remove(let path): names[path] = nil
            case .rename(let old, to: let new, let entry):
                names[old] = nil
                names[new] = entry
                if entry == .directory { Self.move(old, to: new, in: &names) }
            }
        }

        /// What is in a directory goes with it.
        private static func move(_ old: String, to new: String, in names: inout [String: Entry]) {
            for (path, entry) in names where path.hasPrefix(old + "/") {
                names[path] = nil
                names[new + path.dropFirst(old.count)] = entry
            }
        }
    }

    private var current: [String: Entry]
    private var durable: [String: Entry]
    private var pending: [Change] = []

    /// Directories that are always there.
    private static let roots = ["", ".", "/"]

    init() {
        current = Dictionary(uniqueKeysWithValues: Self.roots.map { ($0, .directory) })
        durable = current
    }

    subscript(path: String) -> Entry? { current[path] }

    func file(_ path: String) -> SimulatedFile.ID? {
        if case .file(let id) = current[path] { id } else { nil }
    }

    func isDirectory(_ path: String) -> Bool { current[path] == .directory }

    /// Whether the directory is there that `path` is, or may be, in.
    func hasParent(_ path: String) -> Bool {
        path.lastIndex(of: "/").map { isDirectory(String(path[..<$0])) } ?? true
    }

    func names(in directory: String) -> [String] {
        current.keys.compactMap { $0.name(in: directory) }.sorted()
    }

    /// Every file by its path.
    var files: [(path: String, id: SimulatedFile.ID)] {
        current.compactMap { path, entry in
            if case .file(let id) = entry { (path, id) } else { nil }
        }
    }

    /// Every file that has a name, or may have one after a crash.
    var reachableFiles: Set<SimulatedFile.ID> {
        var entries = Array(current.values) + Array(durable.values)
        for change in pending {
            switch change {
            case .add(_, let entry), .rename(_, _, let entry): entries.append(entry)
            case .remove: break
            }
        }
        return Set(
            entries.compactMap { entry in if case .file(let id) = entry { id } else { nil } })
    }

    /// Paths that are there, and wait for a sync of their directory.
    var unsyncedPaths: Set<String> { Set(pending.map(\.path).filter { current[$0] != nil }) }

    mutating func add(_ path: String, _ entry: Entry) { make(.add(path, entry)) }

    mutating func remove(_ path: String) { make(.remove(path)) }

    mutating func rename(_ path: String, to newPath: String, _ entry: Entry) {
        make(.rename(path, to: newPath, entry))
    }

    private mutating func make(_ change: Change) {
        change.apply(to: &current)
        pending.append(change)
    }

    mutating func sync(_ directory: String) {
        for change in pending where change.path.name(in: directory) != nil {
            change.apply(to: &durable)
        }
        pending.removeAll { $0.path.name(in: directory) != nil }
    }

    /// Leaves what a crash does.
    mutating func crash(_ policy: CrashPolicy, _ random: inout SeededGenerator) {
        let kept: [Change]
        switch policy {
        case .nothing: kept = []
        case .everything: kept = pending
        case .random:
            switch random.next(below: 4) {
            case 0: kept = []
            case 1: kept = Array(pending.prefix(random.next(below: pending.count + 1)))
            default: kept = pending.filter { _ in random.oneIn(2) }
            }
        }
        for change in kept { change.apply(to: &durable) }
        durable = durable.filter { isReachable($0.key) }
        current = durable
        pending = []
    }

    /// A file without its directory is nowhere.
    private func isReachable(_ path: String) -> Bool {
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/") {
            rest = rest[..<slash]
            if durable[String(rest)] != .directory { return false }
        }
        return true
    }
}
