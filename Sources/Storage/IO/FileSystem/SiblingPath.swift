/// The paths of temporary files and folders beside a store.
enum SiblingPath {
    /// The maximum length of a file's name in bytes.
    private static let nameMax = 255
    /// The longest suffix: `.previous-` and a number of 64 bits.
    private static let suffixMax = 26
    /// How many bytes are kept of a name that is too long, so that it can be recognized.
    private static let stemMax = 160

    /// `path` with `suffix`. A name that leaves no room for a suffix is shortened, and has its hash
    /// appended, so that different names remain different.
    static func make(_ path: String, _ suffix: String) -> String {
        let folder = path.folderPrefix
        let name = Array(path.utf8.dropFirst(folder.utf8.count))
        if name.count <= nameMax - suffixMax { return path + suffix }
        // Unsafe: lent for the call.
        let hash = name.withUnsafeBytes { XXH64.hash($0) }
        let stem = String(decoding: name.prefix(stemMax), as: UTF8.self)
        return "\(folder)\(stem)-\(String(hash, radix: 16))\(suffix)"
    }
}
