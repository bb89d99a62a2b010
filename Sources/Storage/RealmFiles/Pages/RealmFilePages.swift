/// The contents of a `.realm` file as a sequence of pages, decrypted if the file is encrypted.
protocol RealmFilePages: Sendable {
    /// Bytes of a page. The last one may be shorter.
    var pageSize: Int { get }

    /// Bytes of all pages at the time of opening.
    var length: Int { get }

    /// Reads a whole page, or the existing part of the last one.
    func read(
        page: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RealmFileError)
}

/// The pages of a file that is not encrypted: its bytes.
struct PlainRealmFilePages: RealmFilePages {
    let pageSize = 16 << 10
    let file: any File
    let path: String
    let length: Int

    func read(
        page: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RealmFileError) {
        let count: Int
        do {
            count = try file.read(into: buffer, at: page * pageSize)
        } catch {
            throw .file(error)
        }
        guard count == buffer.count else {
            throw .damaged(
                path: path, offset: page * pageSize + count,
                reason: "the file has become shorter while it was read")
        }
    }
}
