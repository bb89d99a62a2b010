#if os(Linux)
    import Storage

    /// The objects that the kernel refers to by numbers: files and directories, and open ones.
    struct LossyNodes {
        static let root: UInt64 = 1
        /// The root of everything on the simulated disk.
        static let rootPath = "disk"

        struct Node {
            /// Its last known path.
            var path: String
            /// Nil for a directory. Stays usable after the file was removed.
            let file: (any File)?
            var mode: UInt32
            var links: UInt32 = 1
            /// The number of failed syncs of the file.
            var failures = 0
            /// Whether the last failure was reported.
            var isReported = true
        }

        /// An open file description.
        struct Handle {
            let node: UInt64
            /// The number of failures of its file that it has reported, or need not report.
            var seen: Int
        }

        private var nodes: [UInt64: Node] = [:]
        private var numbers: [String: UInt64] = [:]
        private var handles: [UInt64: Handle] = [:]
        private var listings: [UInt64: [String]] = [:]
        private var next: UInt64 = 2

        init() {
            nodes[Self.root] = Node(path: Self.rootPath, file: nil, mode: 0o700, links: 2)
            numbers[Self.rootPath] = Self.root
        }

        subscript(number: UInt64) -> Node? {
            get { nodes[number] }
            set { nodes[number] = newValue }
        }

        func number(at path: String) -> UInt64? { numbers[path] }

        mutating func add(_ path: String, _ file: (any File)?, mode: UInt32) -> UInt64 {
            let number = next
            next += 1
            nodes[number] = Node(path: path, file: file, mode: mode, links: file == nil ? 2 : 1)
            numbers[path] = number
            return number
        }

        /// Removes the name; open files stay usable.
        mutating func remove(_ path: String) {
            guard let number = numbers.removeValue(forKey: path) else { return }
            nodes[number]?.links = 0
        }

        mutating func rename(_ path: String, to newPath: String) {
            remove(newPath)
            guard let number = numbers.removeValue(forKey: path) else { return }
            numbers[newPath] = number
            nodes[number]?.path = newPath
        }

        // MARK: Open files

        /// An unreported failure is also reported to later descriptions of the file.
        mutating func open(_ number: UInt64) -> UInt64 {
            let node = nodes[number]
            let seen = (node?.failures ?? 0) - (node?.isReported == false ? 1 : 0)
            handles[next] = Handle(node: number, seen: seen)
            defer { next += 1 }
            return next
        }

        mutating func close(_ handle: UInt64) {
            handles[handle] = nil
            listings[handle] = nil
        }

        /// Whether a sync through this description has to report a failure, which it does once.
        mutating func reportFailure(to handle: UInt64) -> Bool {
            guard let number = handles[handle]?.node, let node = nodes[number] else { return false }
            let isNew = handles[handle].map { $0.seen < node.failures } ?? false
            handles[handle]?.seen = node.failures
            if isNew { nodes[number]?.isReported = true }
            return isNew
        }

        mutating func fail(_ number: UInt64) {
            nodes[number]?.failures += 1
            nodes[number]?.isReported = false
        }

        mutating func openDirectory(_ names: [String]) -> UInt64 {
            listings[next] = names
            defer { next += 1 }
            return next
        }

        func listing(_ handle: UInt64) -> [String] { listings[handle] ?? [] }
    }
#endif
