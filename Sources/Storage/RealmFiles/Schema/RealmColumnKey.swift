/// The key of a column: its index in clusters, its type and its kind of collection.
struct RealmColumnKey: Hashable, Sendable {
    let rawValue: Int64

    /// The index among the columns of a cluster.
    var leafIndex: Int { Int(rawValue & 0xFFFF) }
    var type: Int { Int(rawValue >> 16 & 0x3F) }
    var attributes: RealmColumnAttributes {
        RealmColumnAttributes(rawValue: Int(rawValue >> 22 & 0xFF))
    }

    /// A link back to the objects that link here.
    static let backlink = 14
    /// A list of links, before format 24.
    static let linkList = 13

    var isBacklink: Bool { type == Self.backlink }
}

/// The attributes of a column besides its type.
struct RealmColumnAttributes: OptionSet, Sendable {
    let rawValue: Int

    static let indexed = RealmColumnAttributes(rawValue: 1)
    static let nullable = RealmColumnAttributes(rawValue: 16)
    static let list = RealmColumnAttributes(rawValue: 32)
    static let dictionary = RealmColumnAttributes(rawValue: 64)
    static let set = RealmColumnAttributes(rawValue: 128)
    static let fullText = RealmColumnAttributes(rawValue: 256)
}
