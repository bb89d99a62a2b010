import Storage
import Synchronization

/// The stores that this process has open: opening one twice gives handles on the same store.
///
/// Not an actor, so that opening a store needs no other thread than the one that reads the disk.
final class StoreRegistry: Sendable {
    static let shared = StoreRegistry()

    private struct Entry: Sendable {
        let store: WeakStore
        let closing: CloseSignal
    }

    /// What the registry knows of a store.
    private enum Known: Sendable {
        case opening(OpeningSignal)
        case open(Entry)
    }

    private let stores = Mutex(SortedTable<String, Known>())

    /// The open store of a configuration, opened first if need be.
    func open(_ configuration: Realm.Configuration) async throws -> RealmStore {
        var configuration = configuration
        if configuration.path == nil, configuration.inMemoryIdentifier == nil {
            configuration.path = Realm.defaultPath
        }
        let key = try Self.key(configuration)
        let opening = OpeningSignal()
        while let known = claim(key, opening) {
            switch known {
            case .opening(let opening):
                // Where that failed, for reasons of its configuration perhaps, this one tries.
                if let store = await opening.wait() { return try use(store, configuration) }
            case .open(let entry):
                if let store = entry.store.store, !store.isClosed {
                    return try use(store, configuration)
                }
                // The last handle is gone; its log may still be closing.
                await entry.closing.wait()
                forget(entry, key)
            }
        }
        let result: Result<RealmStore, any Error>
        do {
            // Reflection takes as long as the files of a store that was closed; both run at once.
            let types = configuration.objectTypes
            async let reflected: Void = DiscoveredModel.reflect(types)
            let opened = try await BlockingWork.run { [configuration] in
                try OpenedStore.open(configuration)
            }
            await reflected
            result = .success(RealmStore(configuration, opened))
        } catch {
            result = .failure(error)
        }
        stores.withLock { stores in
            stores[key] = (try? result.get()).map {
                .open(Entry(store: WeakStore($0), closing: $0.closing))
            }
        }
        opening.finish(try? result.get())
        return try result.get()
    }

    /// What is known of a store; when that is nothing, the caller is to open it.
    private func claim(_ key: String, _ opening: OpeningSignal) -> Known? {
        stores.withLock { stores in
            if let known = stores[key] { return known }
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
        return Platform.canonicalPath(path)
    }
}

/// Told once, when the opening of a store has ended.
private final class OpeningSignal: Sendable {
    private struct State {
        var hasEnded = false
        /// Nil when opening has failed.
        var store: RealmStore?
        var waiters: [UnsafeContinuation<RealmStore?, Never>] = []
    }

    private let state = Mutex(State())

    func finish(_ store: RealmStore?) {
        let waiters = state.withLock { state in
            state.hasEnded = true
            state.store = store
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: store) }
    }

    /// The store; nil when it could not be opened.
    func wait() async -> RealmStore? {
        // Unsafe: resumed once, either by `finish(_:)`, which takes the list, or here, where it was
        // not put into the list.
        await withUnsafeContinuation { continuation in
            let (hasEnded, store) = state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return (state.hasEnded, state.store)
            }
            if hasEnded { continuation.resume(returning: store) }
        }
    }
}

/// Runs what waits for the disk on a thread of its own.
enum BlockingWork {
    static func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        let outcome = Outcome<R>()
        // Unsafe: the thread runs its block once, which resumes once.
        await withUnsafeContinuation { continuation in
            Platform.runOnThread {
                do {
                    let value = try work()
                    outcome.value.withLock { $0 = value }
                } catch {
                    outcome.error.withLock { $0 = error }
                }
                continuation.resume()
            }
        }
        if let value = outcome.value.withLock({ $0 }) { return value }
        if let error = outcome.error.withLock({ $0 }) { throw error }
        preconditionFailure("The thread resumes once it has a result.")
    }

    /// Hands over what the thread made, under locks: the resumption alone would do, but Thread
    /// Sanitizer does not see that. A `Result` would have the runtime search for what an error is.
    private final class Outcome<R: Sendable>: Sendable {
        let value = Mutex<R?>(nil)
        let error = Mutex<(any Error)?>(nil)
    }
}
