import Synchronization

/// The names of key paths to what is stored that were traced before.
///
/// A key path that is written out in a program is one object for as long as the program runs, so
/// that its identity finds what it represents. The table takes no lock and never grows: a key path
/// whose place is taken is traced each time.
enum TracedNames {
    private static let count = 512

    // Unsafe: allocated once and never freed; each place is an atomic reference that is set at
    // most once, and so can be read and set from anywhere.
    private nonisolated(unsafe) static let places = {
        let places = UnsafeMutablePointer<OnceReference<Entry>>.allocate(capacity: count)
        for index in 0..<count { (places + index).initialize(to: OnceReference()) }
        return places
    }()

    /// One key path, kept so that its identity stays its own.
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
        // The low bits of an address say nothing; the product spreads the others to the top.
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
