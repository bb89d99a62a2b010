// Safety: buffers are lent by callers for the duration of a call, or allocated here for that time;
// reads are within their counts, which are constants of the layout.

/// The pages of an encrypted file, each decrypted when it is read:
///
///     | metadata page | 64 data pages | metadata page | 64 data pages | ...
///
/// with an entry of 64 bytes in the metadata page for each of the following data pages: the current
/// initialization vector and digest of the page, and the previous ones.
struct EncryptedRealmFilePages: RealmFilePages {
    private static let size = 4096
    private static let entrySize = 64
    private static let pagesOfGroup = size / entrySize
    /// How often a page is read again that changes meanwhile.
    private static let readingsMax = 20

    let pageSize = Self.size
    let file: any File
    let path: String
    let cipher: RealmFileCipher
    let length: Int

    init(
        file: any File, path: String, size: Int, cipher: RealmFileCipher
    ) {
        self.file = file
        self.path = path
        self.cipher = cipher
        length = Self.dataPages(in: size) * Self.size
    }

    /// The number of complete data pages in a file of `size` bytes.
    private static func dataPages(in size: Int) -> Int {
        let pages = size / Self.size
        return pages - (pages + pagesOfGroup) / (pagesOfGroup + 1)
    }

    func read(
        page: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RealmFileError) {
        let (stored, encrypted) = try contents(of: page)
        let place = UInt64(page * Self.size)
        let vector = stored + (0..<8).map { UInt8(truncatingIfNeeded: place >> ($0 * 8)) }
        guard let plain = cipher.decrypt(encrypted, vector: vector + [0, 0, 0, 0]) else {
            throw unreadable(page, "it cannot be decrypted")
        }
        plain.withUnsafeBytes { buffer.copyMemory(from: $0) }
    }

    /// A page as it is stored, and its initialisation vector.
    ///
    /// An app that commits meanwhile may write the entry and the page between the two reads. Then
    /// they differ when they are read again; if they do not, the page is unreadable.
    private func contents(
        of page: Int
    ) throws(RealmFileError) -> (vector: ArraySlice<UInt8>, encrypted: [UInt8]) {
        var found = try stored(page)
        for _ in 1..<Self.readingsMax {
            do throws(RealmFileError) {
                return (try initialVector(of: page, found.encrypted, found.entry), found.encrypted)
            } catch {
                let again = try stored(page)
                if again == found { throw error }
                found = again
            }
        }
        return (try initialVector(of: page, found.encrypted, found.entry), found.encrypted)
    }

    private func stored(
        _ page: Int
    ) throws(RealmFileError) -> (entry: [UInt8], encrypted: [UInt8]) {
        let group = page / Self.pagesOfGroup * (Self.pagesOfGroup + 1)
        let index = page % Self.pagesOfGroup
        let entry = try bytes(Self.entrySize, at: group * Self.size + index * Self.entrySize)
        return (entry, try bytes(Self.size, at: (group + 1 + index) * Self.size))
    }

    /// The stored part of the initialization vector that the page was written with.
    private func initialVector(
        of page: Int, _ encrypted: [UInt8], _ entry: [UInt8]
    ) throws(RealmFileError) -> ArraySlice<UInt8> {
        let isWritten = { (vector: ArraySlice<UInt8>) in vector.contains { $0 != 0 } }
        guard isWritten(entry[0..<4]) else { throw unreadable(page, "it was never written") }
        let digest = cipher.digest(of: encrypted)
        if RealmFileCipher.isEqual(digest, entry[4..<32]) { return entry[0..<4] }
        // After a crash between the writes of the entry and of the page, the page has its previous
        // contents.
        guard isWritten(entry[32..<36]), RealmFileCipher.isEqual(digest, entry[36..<64]) else {
            throw unreadable(page, "it is not what was written, or was written with another key")
        }
        return entry[32..<36]
    }

    private func bytes(_ count: Int, at offset: Int) throws(RealmFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done: Result<Int, StorageError> = bytes.withUnsafeMutableBytes { buffer in
            do throws(StorageError) {
                return .success(try file.read(into: buffer, at: offset))
            } catch {
                return .failure(error)
            }
        }
        switch done {
        case .failure(let error): throw .file(error)
        case .success(count): return bytes
        case .success(let read):
            throw .damaged(
                path: path, offset: offset + read,
                reason: "the file has become shorter while it was read")
        }
    }

    private func unreadable(_ page: Int, _ reason: String) -> RealmFileError {
        .damaged(
            path: path, offset: page * Self.size,
            reason: "encrypted page \(page) cannot be read: \(reason)")
    }
}
