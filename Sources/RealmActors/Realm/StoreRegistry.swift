import Foundation
import Storage

/// The stores that this process has open: opening one twice gives handles on the same store.
actor StoreRegistry {
    static let shared = StoreRegistry()

    private struct Entry {
        let store: WeakStore
        let closing: CloseSignal
    }

    private var entries: [String: Entry] = [:]
    private var opening: [String: Task<RealmStore, any Error>] = [:]

    /// The open store of a configuration, opened first if need be.
    func open(_ configuration: Realm.Configuration) async throws -> RealmStore {
        var configuration = configuration
        if configuration.path == nil, configuration.inMemoryIdentifier == nil {
            configuration.path = Realm.defaultPath
        }
        let key = try Self.key(configuration)
        if let running = opening[key] { return try await use(running.value, configuration) }
        if let entry = entries[key] {
            if let store = entry.store.store, !store.isClosed {
                return try use(store, configuration)
            }
            // The last handle is gone; its log may still be closing.
            await entry.closing.wait()
            if entries[key]?.closing === entry.closing { entries[key] = nil }
            return try await open(configuration)
        }
        let task = Task { [configuration] in
            let opened = try await BlockingWork.run { try OpenedStore.open(configuration) }
            return RealmStore(configuration, opened)
        }
        opening[key] = task
        defer { opening[key] = nil }
        let store = try await task.value
        entries[key] = Entry(store: WeakStore(store), closing: store.closing)
        return store
    }

    private func use(
        _ store: RealmStore, _ configuration: Realm.Configuration
    ) throws -> RealmStore {
        let open = store.configuration
        let differences = [
            open.readOnly == configuration.readOnly ? nil : "readOnly is \(open.readOnly)",
            open.durability == configuration.durability ? nil : "durability is \(open.durability)",
            Set(open.objectTypes.map { ObjectIdentifier($0) })
                .isSuperset(of: configuration.objectTypes.map { ObjectIdentifier($0) })
                ? nil : "its objectTypes are \(open.objectTypes)",
        ].compactMap { $0 }
        guard differences.isEmpty else {
            throw RealmError.alreadyOpen(
                path: open.path ?? open.inMemoryIdentifier ?? "",
                difference: differences.joined(separator: ", "))
        }
        return store
    }

    /// What makes two configurations name the same store.
    private static func key(_ configuration: Realm.Configuration) throws -> String {
        guard let path = configuration.path else {
            return "memory:" + (configuration.inMemoryIdentifier ?? "")
        }
        if configuration.inMemoryIdentifier != nil {
            throw RealmError.invalidValue(
                "A configuration has a path or an inMemoryIdentifier, not both. Remove one.")
        }
        let url = URL(fileURLWithPath: path).standardizedFileURL
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
        return folder.appendingPathComponent(url.lastPathComponent).path
    }
}

/// Runs what waits for the disk on a thread of its own.
enum BlockingWork {
    static func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        // Unsafe: the thread runs its block once, which resumes once.
        try await withUnsafeThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
