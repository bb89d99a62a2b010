package import Storage

extension SimulatedDisk {
    /// A call to fail.
    package struct Fault: Sendable, Hashable {
        package enum Kind: Sendable, Hashable, CaseIterable {
            /// The call does nothing and reports an I/O error.
            case inputOutput
            /// A call that needs space does nothing and reports that the disk is full.
            case noSpace
            /// A write does half of its work, then reports that the disk is full.
            case shortWrite
            /// A sync fails, and the unsynced bytes count as clean from then on: they are seen by
            /// readers, are on no disk, and the next sync reports success.
            case failedSync
        }
        package var kind: Kind
        /// Which call fails, counted from 1 since the last crash or `resetCalls`.
        package var call: Int
        /// Whether every call after it fails too.
        package var isLasting: Bool

        package init(_ kind: Kind, call: Int, isLasting: Bool = false) {
            self.kind = kind
            self.call = call
            self.isLasting = isLasting
        }
    }

    /// Counts the calls and knows which of them fail, and how.
    struct FaultPlan: Sendable {
        private(set) var calls = 0
        /// Calls that met a fault.
        private(set) var hits = 0
        private var faults: [Fault] = []

        /// What the path of the file ends with whose next sync fails.
        private var failsSyncOf: String?

        mutating func add(_ fault: Fault) { faults.append(fault) }

        mutating func failNextSync(of suffix: String) { failsSyncOf = suffix }

        /// Counts a call, and fails it if planned. Returns what a write or sync does besides.
        mutating func begin(
            _ operation: IOOperation, _ path: String
        ) throws(StorageError) -> Fault.Kind? {
            calls += 1
            let call = calls
            if operation == .sync, let suffix = failsSyncOf, path.hasSuffix(suffix) {
                failsSyncOf = nil
                hits += 1
                return .failedSync
            }
            let fault = faults.first { $0.isLasting ? $0.call <= call : $0.call == call }
            guard let fault else { return nil }
            hits += 1
            switch fault.kind {
            case .inputOutput:
                throw .io(operation: operation, path: path, errno: Platform.inputOutput)
            case .noSpace:
                guard operation.takesSpace else { return nil }
                if operation == .write { throw .outOfSpace(path: path) }
                throw .io(operation: operation, path: path, errno: Platform.noSpace)
            case .shortWrite:
                return operation == .write ? .shortWrite : nil
            case .failedSync:
                return operation == .sync ? .failedSync : nil
            }
        }
    }
}

extension IOOperation {
    /// Whether the call can meet a full disk.
    package var takesSpace: Bool {
        switch self {
        case .write, .allocate, .createDirectory: true
        case .open, .size, .read, .truncate, .sync, .list, .rename, .link, .remove,
            .syncDirectory, .lock:
            false
        }
    }
}
