import StorageHarness

#if os(Linux)
    import Glibc
    import Storage
    import StorageHarness
    import Synchronization

    /// Answers the kernel's calls with a simulated disk: unsynced writes may be lost, sectors and
    /// names alike; a sync that fails drops the data, and reports that once to each open file
    /// description, as Linux does.
    final class LossyFileSystem: Sendable {
        private struct State: ~Copyable {
            var nodes = LossyNodes()
            var random: SeededGenerator
            /// One in so many syncs fails; none if 0.
            var failingSyncs = 0
            var syncs = 0
            var failedSyncs = 0
            var isOff = false
        }

        /// The stored data; it outlives a mount.
        let disk: SimulatedDisk
        /// A disk that acknowledges syncs without performing them: the canary, which must be
        /// detected.
        let forgetsSyncs: Bool
        private let state: Mutex<State>

        init(
            _ disk: SimulatedDisk, seed: UInt64, failingSyncs: Int = 0, forgetsSyncs: Bool = false
        ) throws {
            self.disk = disk
            self.forgetsSyncs = forgetsSyncs
            try disk.createDirectory(LossyNodes.rootPath)
            try disk.syncDirectory(".")
            state = Mutex(
                State(random: SeededGenerator(seed: seed), failingSyncs: failingSyncs))
        }

        /// The power fails: no further call is executed.
        func cutPower() { state.withLock { $0.isOff = true } }

        /// The number of calls that made something durable, and of those that failed.
        var syncCounts: (all: Int, failed: Int) { state.withLock { ($0.syncs, $0.failedSyncs) } }

        /// The delay of a call in microseconds, so that calls of several threads overlap.
        func delay(of request: FuseRequest) -> UInt32 {
            guard request.operation == .sync || request.operation == .write else { return 0 }
            return state.withLock { $0.random.oneIn(4) ? UInt32($0.random.next(below: 400)) : 0 }
        }

        /// Executes one call; nil if the kernel expects no answer.
        func answer(_ request: FuseRequest) -> [UInt8]? {
            switch request.operation {
            case .forget, .forgetMany, .interrupt: return nil
            default: break
            }
            do {
                let reply = try state.withLock { state throws(FuseFailure) in
                    if state.isOff { throw FuseFailure(EIO) }
                    do {
                        return try perform(request, &state)
                    } catch let failure as FuseFailure {
                        throw failure
                    } catch {
                        throw FuseFailure(Self.number(of: error))
                    }
                }
                return reply.message(to: request.unique)
            } catch {
                return FuseReply().message(to: request.unique, error: error.number)
            }
        }

        private static func number(of error: any Error) -> Int32 {
            switch error as? StorageError {
            case .io(_, _, let number)?: number
            case .fileNotFound?: ENOENT
            case .outOfSpace?: ENOSPC
            default: EIO
            }
        }

        private func perform(
            _ request: FuseRequest, _ state: inout State
        ) throws -> FuseReply {
            switch request.operation {
            case .initialize: return .initialization
            case .lookup: return try Self.lookUp(request, disk, &state.nodes)
            case .getAttributes: return try Self.attributes(request.node, state.nodes)
            case .setAttributes: return try Self.setAttributes(request, &state.nodes)
            case .makeDirectory, .create, .unlink, .removeDirectory, .rename, .renameWithFlags:
                return try Self.changeNames(request, disk, &state.nodes)
            case .open:
                return .opened(state.nodes.open(request.node))
            case .read, .write, .allocate: return try Self.transfer(request, state.nodes)
            case .sync: return try sync(request, &state)
            case .syncDirectory:
                try disk.syncDirectory(try Self.path(request.node, state.nodes))
                return .done
            case .openDirectory:
                let path = try Self.path(request.node, state.nodes)
                return .opened(state.nodes.openDirectory([".", ".."] + (try disk.list(path))))
            case .readDirectory: return Self.list(request, state.nodes)
            case .release, .releaseDirectory:
                state.nodes.close(request.number(0))
                return .done
            case .statistics: return .statistics
            case .destroy: return .done
            // Without this, the kernel does not wait when a file is closed. A sanitizer that
            // reports starts a child, which closes all files, while the answering threads wait for
            // it.
            case .flush, .forget, .forgetMany, .interrupt, nil: throw FuseFailure(ENOSYS)
            }
        }

        private static func path(_ number: UInt64, _ nodes: LossyNodes) throws -> String {
            guard let node = nodes[number], node.links > 0 else { throw FuseFailure(ENOENT) }
            return node.path
        }

        private static func file(_ number: UInt64, _ nodes: LossyNodes) throws -> any File {
            guard let file = nodes[number]?.file else { throw FuseFailure(EBADF) }
            return file
        }
    }

    // MARK: - Names

    extension LossyFileSystem {
        private static func lookUp(
            _ request: FuseRequest, _ disk: SimulatedDisk, _ nodes: inout LossyNodes
        ) throws -> FuseReply {
            let name = request.names(behind: 0).first ?? ""
            let parent = try path(request.node, nodes)
            let path = parent + "/" + name
            if let number = nodes.number(at: path) { return try entry(number, nodes) }
            guard try disk.list(parent).contains(name) else { throw FuseFailure(ENOENT) }
            let isDirectory = (try? disk.list(path)) != nil
            let number = nodes.add(
                path, isDirectory ? nil : try disk.open(path, .readWrite),
                mode: isDirectory ? 0o700 : 0o600)
            return try entry(number, nodes)
        }

        private static func changeNames(
            _ request: FuseRequest, _ disk: SimulatedDisk, _ nodes: inout LossyNodes
        ) throws -> FuseReply {
            let parent = try path(request.node, nodes)
            switch request.operation {
            case .makeDirectory:
                let path = parent + "/" + (request.names(behind: 8).first ?? "")
                if nodes.number(at: path) != nil { throw FuseFailure(EEXIST) }
                try disk.createDirectory(path)
                return try entry(nodes.add(path, nil, mode: request.number(0)), nodes)
            case .create:
                let path = parent + "/" + (request.names(behind: 16).first ?? "")
                let file = try disk.open(path, .create)
                // Two callers may both have found no such name.
                let number =
                    nodes.number(at: path) ?? nodes.add(path, file, mode: request.number(4))
                var reply = try entry(number, nodes)
                reply.append(FuseReply.opened(nodes.open(number)).bytes)
                return reply
            case .rename, .renameWithFlags:
                let hasFlags = request.operation == .renameWithFlags
                if hasFlags, request.number(8, as: UInt32.self) != 0 { throw FuseFailure(EINVAL) }
                let names = request.names(behind: hasFlags ? 16 : 8)
                guard names.count == 2 else { throw FuseFailure(EINVAL) }
                let path = parent + "/" + names[0]
                let newPath = try Self.path(request.number(0), nodes) + "/" + names[1]
                // The simulated disk cannot move a directory with its contents.
                if (try? disk.list(path)) != nil { throw FuseFailure(EXDEV) }
                try disk.rename(path, to: newPath)
                nodes.rename(path, to: newPath)
                return .done
            default:
                let path = parent + "/" + (request.names(behind: 0).first ?? "")
                if request.operation == .removeDirectory, try !disk.list(path).isEmpty {
                    throw FuseFailure(ENOTEMPTY)
                }
                try disk.remove(path)
                nodes.remove(path)
                return .done
            }
        }

        private static func list(_ request: FuseRequest, _ nodes: LossyNodes) -> FuseReply {
            let names = nodes.listing(request.number(0))
            let start = Int(request.number(8, as: UInt64.self))
            let size = Int(request.number(16, as: UInt32.self))
            var reply = FuseReply()
            for (index, name) in names.enumerated().dropFirst(start) {
                if reply.bytes.count + 32 + name.utf8.count > size { break }
                reply.append(UInt64(index + 2))
                reply.append(UInt64(index + 1))
                reply.append(UInt32(name.utf8.count))
                // Of unknown type: callers query it if needed.
                reply.append(UInt32(0))
                reply.append(name.utf8)
                reply.align()
            }
            return reply
        }
    }

    // MARK: - Contents

    extension LossyFileSystem {
        private static func transfer(
            _ request: FuseRequest, _ nodes: LossyNodes
        ) throws -> FuseReply {
            let file = try file(request.node, nodes)
            let offset = Int(request.number(8, as: UInt64.self))
            var reply = FuseReply()
            switch request.operation {
            case .read:
                var bytes = [UInt8](repeating: 0, count: Int(request.number(16, as: UInt32.self)))
                // Unsafe: the file writes into the array, which it fills in part.
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
                reply.append(bytes.prefix(count))
            case .write:
                let data = request.payload(behind: 40)
                // Unsafe: lent for this call, and not kept.
                try data.withUnsafeBytes { try file.write($0, at: offset) }
                reply.append(UInt32(data.count))
                reply.append(UInt32(0))
            default:
                // Only the plain form: allocates at the end.
                if request.number(24, as: UInt32.self) != 0 { throw FuseFailure(EOPNOTSUPP) }
                try file.allocate(offset + Int(request.number(16, as: UInt64.self)))
            }
            return reply
        }

        private func sync(
            _ request: FuseRequest, _ state: inout State
        ) throws -> FuseReply {
            let file = try Self.file(request.node, state.nodes)
            state.syncs += 1
            if forgetsSyncs { return .done }
            if state.failingSyncs > 0, state.random.oneIn(state.failingSyncs) {
                disk.inject(.init(.failedSync, call: disk.callCount + 1))
                state.nodes.fail(request.node)
                state.failedSyncs += 1
            }
            let failure = Result { try file.sync() }
            if state.nodes.reportFailure(to: request.number(0)) { throw FuseFailure(EIO) }
            // If another description has got the error, the sync of this one had nothing to do.
            if case .failure(let error) = failure { throw error }
            return .done
        }

        private static func setAttributes(
            _ request: FuseRequest, _ nodes: inout LossyNodes
        ) throws -> FuseReply {
            let valid: UInt32 = request.number(0)
            if valid & 1 != 0 { nodes[request.node]?.mode = request.number(68) }
            if valid & 8 != 0 {
                let length = Int(request.number(16, as: UInt64.self))
                let file = try file(request.node, nodes)
                try file.truncate(to: length)
                try file.allocate(length)
            }
            return try attributes(request.node, nodes)
        }
    }

    // MARK: - Replies

    extension LossyFileSystem {
        private static func attributes(
            _ number: UInt64, _ nodes: LossyNodes
        ) throws -> FuseReply {
            guard let node = nodes[number] else { throw FuseFailure(ENOENT) }
            var reply = FuseReply()
            // Not cached: every lookup is repeated.
            reply.append(UInt64(0))
            reply.append(UInt64(0))
            reply.append(attributes: number, node, try node.file?.size())
            return reply
        }

        private static func entry(_ number: UInt64, _ nodes: LossyNodes) throws -> FuseReply {
            guard let node = nodes[number] else { throw FuseFailure(ENOENT) }
            var reply = FuseReply()
            reply.append(number)
            for _ in 0..<4 { reply.append(UInt64(0)) }
            reply.append(attributes: number, node, try node.file?.size())
            return reply
        }
    }

    extension FuseReply {
        /// The maximum number of bytes of one write or read.
        static let transferSize = 128 << 10

        fileprivate mutating func append(
            attributes number: UInt64, _ node: LossyNodes.Node, _ size: FileSize?
        ) {
            append(number)
            append(UInt64(size?.length ?? 0))
            append(UInt64((size?.allocated ?? 0) / 512))
            for _ in 0..<3 { append(UInt64(0)) }
            for _ in 0..<3 { append(UInt32(0)) }
            append(node.mode & 0o7777 | (node.file == nil ? UInt32(S_IFDIR) : UInt32(S_IFREG)))
            append(node.links)
            append(UInt32(getuid()))
            append(UInt32(getgid()))
            append(UInt32(0))
            append(UInt32(4_096))
            append(UInt32(0))
        }

        /// Reads and writes bypass the kernel's page cache, so that no state is kept there.
        fileprivate static func opened(_ handle: UInt64) -> FuseReply {
            var reply = FuseReply()
            reply.append(handle)
            reply.append(UInt32(1))
            reply.append(UInt32(0))
            return reply
        }

        fileprivate static var initialization: FuseReply {
            var reply = FuseReply()
            reply.append(UInt32(7))
            reply.append(UInt32(31))
            reply.append(UInt32(transferSize))
            // Writes of more than a page.
            reply.append(UInt32(1 << 5))
            reply.append(UInt16(16))
            reply.append(UInt16(12))
            reply.append(UInt32(transferSize))
            reply.append(UInt32(1))
            for _ in 0..<9 { reply.append(UInt32(0)) }
            return reply
        }

        /// Enough free space for all processes.
        fileprivate static var statistics: FuseReply {
            var reply = FuseReply()
            for _ in 0..<5 { reply.append(UInt64(1 << 20)) }
            for number in [4_096, 255, 4_096, 0] { reply.append(UInt32(number)) }
            for _ in 0..<6 { reply.append(UInt32(0)) }
            return reply
        }
    }
#endif
