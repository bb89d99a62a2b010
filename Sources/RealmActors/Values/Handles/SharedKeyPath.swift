// Unchecked, and safe: key paths are immutable, and those that are passed here lead through
// persisted properties only, so that they capture no value.
/// A key path that any thread may use.
struct SharedKeyPath<Path: AnyKeyPath>: @unchecked Sendable {
    let path: Path

    init(_ path: Path) { self.path = path }
}
