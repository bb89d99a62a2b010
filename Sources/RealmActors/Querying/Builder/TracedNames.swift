import Synchronization

/// A cache of the names on key paths to stored properties, which tracing found.
///
/// A key path literal is one object while the program runs, so that its identity is the key. The
/// table takes no lock and never grows: a key path whose slot is taken is traced each time.
enum TracedNames {
    private static let count = 512

    // Unsafe: allocated once and never freed; each slot is an atomic reference that is set at most
    // once, and so can be read and set on any thread.
    private nonisolated(unsafe) static let places = {
        let places = UnsafeMutablePointer<OnceReference<Entry>>.allocate(capacity: count)
        for index in 0..<count { (places + index).initialize(to: OnceReference()) }
        return places
    }()

    /// One key path, retained so that no other object gets its address.
    private final class Entry: Sendable {
        let keyPath: SharedKeyPath<AnyKeyPath>
        let names: [String]

        init(_ keyPath: AnyKeyPath, _ names: [String]) {
            self.keyPath = SharedKeyPath(keyPath)
            self.names = names
        }
    }

    private static func place(
        _ keyPath: AnyKeyPath
    ) -> UnsafeMutablePointer<OnceReference<Entry>> {
        // The low bits of an address do not vary; the product spreads the others to the top.
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(keyPath)))
        return places + Int((address &* 0x9E37_79B9_7F4A_7C15) >> 55)
    }

    static func of(_ keyPath: AnyKeyPath) -> [String]? {
        place(keyPath).pointee.withInstance { $0.keyPath.path === keyPath ? $0.names : nil } ?? nil
    }

    static func remember(_ names: [String], of keyPath: AnyKeyPath) {
        _ = place(keyPath).pointee.storeIfNil(Entry(keyPath, names))
    }
}
