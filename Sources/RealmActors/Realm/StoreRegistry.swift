import Storage
import Synchronization

/// The stores that this process has open: opening one twice gives handles on the same store.
///
/// Not an actor: removing a store's files is a synchronous call that excludes openings.
final class StoreRegistry: Sendable {
    static let shared = StoreRegistry()

    private struct Entry: Sendable {
        let store: WeakStore
        let closing: EndSignal
    }

    /// The state of a store in the registry.
    private enum Known: Sendable {
        case opening(OpeningSignal)
        case open(Entry)
    }

    private let stores = Mutex(SortedTable<String, Known>())

    /// The open store of a configuration, opened first if needed. Runs on the caller's actor, which
    /// awaits the threads that read the files and reflect the classes: a hop to the cooperative
    /// pool and back would add to the wait.
    func open(_ configuration: Realm.Configuration) async throws -> RealmStore {
        let configuration = configuration.placed
        let key = try Self.key(configuration)
        let opening = OpeningSignal()
        while let known = claim(key, opening) {
            switch known {
            case .opening(let opening):
                // Try here if that opening failed, perhaps because of its configuration, or if its
                // store was closed meanwhile.
                if let store = try await opening.wait(), !store.isClosed {
                    return try use(store, configuration)
                }
            case .open(let entry):
                if let store = entry.store.store, !store.isClosed {
                    return try use(store, configuration)
                }
                // It is being closed, after its writes, or the last handle was released.
                try await entry.closing.waitUnlessCancelled()
                forget(entry, key)
            }
        }
        let result: Result<RealmStore, any Error>
        do {
            let opened = try await OpenedStore.prepare(configuration)
            let store = RealmStore.started(configuration, opened)
            do {
                try await store.compactIfAsked()
            } catch {
                // Closed before the next caller tries to open it.
                try? await store.close()
                throw error
            }
            result = .success(store)
        } catch {
            result = .failure(error)
        }
        end(Claim(key: key, opening: opening), try? result.get())
        return try result.get()
    }

    /// The right to open a path. Its holder releases it by ``end(_:_:)``.
    struct Claim: Sendable {
        fileprivate let key: String
        fileprivate let opening: OpeningSignal
    }

    /// The right to reopen the path of a store that is open or was closed. Other openings of the
    /// path wait for the outcome.
    ///
    /// Fails with ``RealmError/alreadyOpen(path:difference:)`` when the path was opened after the
    /// store was closed: two stores would write the same files.
    func claim(_ store: RealmStore) async -> Result<Claim, any Error> {
        do {
            let key = try Self.key(store.currentConfiguration)
            let opening = OpeningSignal()
            while let known = claim(key, opening, for: store) {
                switch known {
                case .opening(let other): _ = try await other.wait()
                case .open(let entry):
                    if let other = entry.store.store, !other.isClosed {
                        throw RealmError.alreadyOpen(
                            path: store.configuration.path ?? "",
                            difference: "it was opened again after this handle had been closed")
                    }
                    await entry.closing.wait()
                    forget(entry, key)
                }
            }
            return .success(Claim(key: key, opening: opening))
        } catch {
            return .failure(error)
        }
    }

    /// Releases a claim. `store` is the opened store; nil if opening failed.
    func end(_ claim: Claim, _ store: RealmStore?) {
        let key = claim.key
        if let store { store.account.trapsOnFailure = store.trapsOnReadFailure }
        let entry = store.map { Entry(store: WeakStore($0), closing: $0.open.closing) }
        stores.withLock { stores in stores[key] = entry.map { .open($0) } }
        claim.opening.finish(store)
        // A service may open any number of realms, each once, so closed ones are removed. The claim
        // is not captured: its signal holds the store.
        if let entry { entry.closing.whenFinished { [weak self] in self?.forget(entry, key) } }
    }

    /// Whether the store at a path is open, or is being opened or closed: for tests of what the
    /// registry keeps.
    func knows(_ path: String) -> Bool {
        let key = Platform.pathKey(path)
        return stores.withLock { $0[key] != nil }
    }

    /// Runs `work` while no store of this path is open or being opened. Waits until a store without
    /// handles is closed.
    ///
    /// - Throws: ``RealmError/alreadyOpen(path:difference:)`` when one is open, and what `work`
    ///   throws.
    func withoutStore<R>(at path: String, _ work: () throws -> R) throws -> R {
        let key = Platform.pathKey(path)
        let opening = OpeningSignal()
        while let known = claim(key, opening) {
            // A store with a handle closes only after its writes, which may need this thread.
            guard case .open(let entry) = known,
                entry.closing.hasFinished || entry.store.store == nil,
                entry.closing.wait(upTo: Self.closingTime)
            else {
                throw RealmError.alreadyOpen(
                    path: path, difference: "it is in use in this process")
            }
            forget(entry, key)
        }
        defer {
            stores.withLock { $0[key] = nil }
            opening.finish(nil)
        }
        return try work()
    }

    /// How long a thread waits for a store without handles to close, which takes long only on a
    /// disk that does not respond.
    private static let closingTime = Duration.seconds(10)

    /// The entry of the path; nil if there is none, or it is that of `own`: the caller has then
    /// claimed the path and opens it.
    private func claim(
        _ key: String, _ opening: OpeningSignal, for own: RealmStore? = nil
    ) -> Known? {
        stores.withLock { stores in
            if let known = stores[key] {
                guard let own, case .open(let entry) = known, entry.store.store === own else {
                    return known
                }
            }
            stores[key] = .opening(opening)
            return nil
        }
    }

    /// Forgets a store that was closed, unless it is open again.
    private func forget(_ closed: Entry, _ key: String) {
        stores.withLock { stores in
            guard case .open(let entry) = stores[key], entry.closing === closed.closing else {
                return
            }
            stores[key] = nil
        }
    }

    private func use(
        _ store: RealmStore, _ configuration: Realm.Configuration
    ) throws -> RealmStore {
        let open = store.currentConfiguration
        let differences = [
            open.readOnly == configuration.readOnly ? nil : "readOnly is \(open.readOnly)",
            open.durability == configuration.durability ? nil : "durability is \(open.durability)",
            open.encryptionKey == configuration.encryptionKey
                ? nil
                : open.encryptionKey == nil ? "it has no key" : "its encryptionKey is another",
            open.history == configuration.history ? nil : "history is \(open.history)",
            configuration.sharedLog == nil || configuration.readOnly || open.sharedLog != nil
                ? nil : "it is on no shared log",
            configuration.sharedLog.flatMap { open.sharedLog?.difference(from: $0) },
            configuration.usesStoredSchema
                || open.wantedSchemaVersion == configuration.wantedSchemaVersion
                ? nil : "schemaVersion is \(open.wantedSchemaVersion)",
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

    /// The key by which two configurations name the same store.
    private static func key(_ configuration: Realm.Configuration) throws -> String {
        guard let path = configuration.path else {
            return "memory:" + (configuration.inMemoryIdentifier ?? "")
        }
        if configuration.inMemoryIdentifier != nil {
            throw RealmError.invalidValue(
                "A configuration has a path or an inMemoryIdentifier, not both. Remove one.")
        }
        return Platform.pathKey(path)
    }
}

extension EndSignal {
    /// Blocks the thread until the end; false when that takes longer than `limit`.
    fileprivate func wait(upTo limit: Duration) -> Bool {
        let signal = ThreadSemaphore()
        whenFinished { signal.signal() }
        return signal.wait(upTo: limit)
    }
}

/// Signalled once, when the opening of a store has ended.
private final class OpeningSignal: Sendable {
    private let end = EndSignal()
    private let store = Mutex<RealmStore?>(nil)

    func finish(_ opened: RealmStore?) {
        store.withLock { $0 = opened }
        end.finish()
    }

    /// The store; nil when it could not be opened.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that has ended.
    func wait() async throws -> RealmStore? {
        try await end.waitUnlessCancelled()
        return store.withLock { $0 }
    }
}
