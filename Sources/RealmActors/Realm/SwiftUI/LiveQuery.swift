#if canImport(SwiftUI)
    import Observation
    public import SwiftUI

    extension EnvironmentValues {
        /// The realm that ``LiveQuery`` reads; nil for none.
        public var realm: Realm? {
            get { self[RealmKey.self] }
            set { self[RealmKey.self] = newValue }
        }

        private struct RealmKey: EnvironmentKey {
            static var defaultValue: Realm? { nil }
        }
    }

    /// The objects that a query finds; the view is updated when they change.
    ///
    ///     struct Puppies: View {
    ///         @LiveQuery({ $0.objects(Dog.self).where { $0.age < 1 } }) var puppies
    ///
    ///         var body: some View {
    ///             if let puppies { ForEach(puppies) { Text($0.name) } }
    ///         }
    ///     }
    ///
    ///     Puppies().environment(\.realm, realm)
    ///
    /// The realm is that of the environment. The results are frozen: they do not change while they
    /// are drawn, and are replaced when a commit of any process has changed the objects that the
    /// query finds, their order or their properties. The projected value is the error that has
    /// ended the updates; nil for none. ``Realm/reopen()`` ends them as well, until the query runs
    /// again.
    ///
    /// Isolated to the main actor. The query runs there once, when the view appears, and on the
    /// stream's task from then on.
    @MainActor @propertyWrapper
    public struct LiveQuery<Model: Object>: @preconcurrency DynamicProperty {
        @Environment(\.realm) private var realm
        @State private var model = LiveQueryModel<Model>()
        private let id: AnyHashable
        private let query: @MainActor (Realm) throws -> FrozenResults<Model>

        /// - Parameters:
        ///   - id: what the query depends on. The query runs again when this changes.
        ///   - query: makes the results that are shown and followed.
        public init(
            id: some Hashable = 0,
            _ query: @escaping @MainActor (Realm) throws -> FrozenResults<Model>
        ) {
            self.id = AnyHashable(id)
            self.query = query
        }

        /// The objects; nil without a realm in the environment, or where the query has failed.
        public var wrappedValue: FrozenResults<Model>? { model.results }

        /// The error that ended the query or its stream; nil while there is none.
        public var projectedValue: (any Error)? { model.failure }

        /// Called by SwiftUI before the view is drawn.
        public func update() { model.follow(realm, id, query) }
    }

    /// What a ``LiveQuery`` shows, for as long as its view is there.
    @MainActor @Observable
    final class LiveQueryModel<Model: Object> {
        private(set) var results: FrozenResults<Model>?
        private(set) var failure: (any Error)?
        @ObservationIgnored private var source: (realm: Realm, id: AnyHashable)?
        @ObservationIgnored private var following: Following?

        /// Ends with its last reference.
        private final class Following: Sendable {
            private let task: Task<Void, Never>

            init(_ task: Task<Void, Never>) { self.task = task }

            deinit { task.cancel() }
        }

        /// Shows the results of a query from now on, unless it is the present one.
        func follow(
            _ realm: Realm?, _ id: AnyHashable, _ query: (Realm) throws -> FrozenResults<Model>
        ) {
            if source?.realm == realm, source?.id == id || realm == nil { return }
            source = realm.map { ($0, id) }
            following = nil
            results = nil
            failure = nil
            guard let realm else { return }
            do {
                let found = try query(realm)
                results = found
                // Keep the stream, not the results, which would hold their version while the view
                // exists.
                let changes = found.changes()
                following = Following(
                    Task { [weak self] in
                        do {
                            for try await change in changes {
                                // Another query may have replaced this one meanwhile.
                                if Task.isCancelled { return }
                                self?.results = change.collection
                            }
                        } catch {
                            if !Task.isCancelled { self?.failure = error }
                        }
                    })
            } catch {
                failure = error
            }
        }
    }
#endif
