/// The 64 bytes that a user gives to open an encrypted store.
package struct UserKey: Hashable, Sendable {
    /// The number of bytes of a key, as in Realm.
    package static let size = 64

    /// The secret itself.
    package let bytes: [UInt8]

    /// Nil when it is not 64 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Fresh random bytes from the system's generator.
    package static func random() -> UserKey {
        var generator = SystemRandomNumberGenerator()
        return UserKey(fresh: (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private init(fresh bytes: [UInt8]) { self.bytes = bytes }
}

extension UserKey: CustomStringConvertible, CustomReflectable {
    /// A description without the contents.
    package var description: String { "a key of \(Self.size) bytes" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
