/// The permission bits of the files of a store, as `chmod` takes them.
package struct FilePermissions: Sendable, Hashable {
    /// Nine bits: read, write and execute, for the owner, the group and others.
    package let ofFiles: UInt16

    package init(ofFiles permissions: UInt16) { ofFiles = permissions }

    /// Only the owner may read and write.
    package static let owner = FilePermissions(ofFiles: 0o600)

    /// The permissions of the folder: any right to the files includes the right to enter it.
    package var ofDirectories: UInt16 {
        let isAnything = (ofFiles | ofFiles >> 1 | ofFiles >> 2) & 0o111
        return ofFiles | isAnything
    }
}

extension String {
    /// The folder that contains the file at this path.
    var parentPath: String {
        // By bytes: as characters, "/" and a following combining accent would be one.
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// This path up to and including its last slash; empty without one.
    var folderPrefix: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(decoding: utf8[...slash], as: UTF8.self)
    }

    /// The same path without slashes at its end.
    var withoutTrailingSlashes: String {
        var path = self
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
