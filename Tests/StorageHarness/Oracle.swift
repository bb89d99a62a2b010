package import Storage

/// Something happened that must not.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// What was submitted, and how much of it was acknowledged: what a store may hold after a crash.
package struct Oracle: Sendable {
    /// The store as each version that may be found would have it.
    private var states: [Version: StoreModel]
    package private(set) var acknowledged = Version.zero
    package private(set) var submitted: Version

    /// Of a store that is not there yet: its first commit brings the schema.
    package init() {
        submitted = Version.zero.next
        states = [.zero: StoreModel(), submitted: StoreModel(width: 1)]
    }

    /// The state after `version`, if it may be found.
    package func state(_ version: Version) -> StoreModel? { states[version] }

    /// A commit is about to be written.
    package mutating func submit(_ version: Version, _ state: StoreModel) {
        states[version] = state
        submitted = version
    }

    /// The commits up to `version` are promised to survive.
    package mutating func acknowledge(_ version: Version) {
        acknowledged = max(acknowledged, version)
    }

    /// The commits after `version` were refused: nothing of them was written.
    package mutating func withdraw(after version: Version) {
        for later in states.keys where later > version { states[later] = nil }
        submitted = version
    }

    /// A store was found at `version`.
    package func check(_ view: TreeView, _ version: Version) throws {
        guard version >= acknowledged else {
            throw Violation("\(acknowledged) was acknowledged, \(version) is there")
        }
        guard let state = states[version] else {
            throw Violation("\(version) is there, \(submitted) was the last one submitted")
        }
        if let problem = state.problem(in: view) {
            throw Violation("version \(version): \(problem)")
        }
    }

    /// An opening for writing decides: what it found is durable, the rest never was.
    package mutating func settle(on version: Version) {
        states = states.filter { $0.key == version }
        acknowledged = version
        submitted = version
    }
}
