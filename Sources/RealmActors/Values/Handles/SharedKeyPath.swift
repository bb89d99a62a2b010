// Unchecked, and safe, because key paths are Sendable only where they are written as such: they
// never change, and those that come here lead through persisted properties, which captures nothing.
/// A key path that any thread may use.
struct SharedKeyPath<Path: AnyKeyPath>: @unchecked Sendable {
    let path: Path

    init(_ path: Path) { self.path = path }
}
