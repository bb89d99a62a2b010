/// Who may use the files of a store: what `chmod` takes.
package struct FilePermissions: Sendable, Hashable {
    /// Nine bits: reading, writing and running, for the owner, the group and all others.
    package let ofFiles: UInt16

    package init(ofFiles permissions: UInt16) { ofFiles = permissions }

    /// The owner reads and writes, and nobody else.
    package static let owner = FilePermissions(ofFiles: 0o600)

    /// Who may do anything with the files may enter the folder that they are in.
    package var ofDirectories: UInt16 {
        let isAnything = (ofFiles | ofFiles >> 1 | ofFiles >> 2) & 0o111
        return ofFiles | isAnything
    }
}

extension String {
    /// The folder that a path names something in.
    var parentPath: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// The same path without slashes at its end.
    var withoutTrailingSlashes: String {
        var path = self
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
