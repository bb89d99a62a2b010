/// The access to the bytes of a file: plain or decrypted.
struct RealmFileOpening: Sendable {
    let file: any File
    let path: String
    let key: [UInt8]?
    /// Whether an app has the file open: then it holds a shared lock of the `.lock` file beside it.
    var isOpen = false

    /// A metadata page and one page of data.
    private static let encryptedSizeMin = 8192

    /// The contents, and the length of the file.
    func bytes(salvage: Bool) throws(RealmFileError) -> (RealmFileBytes, size: Int) {
        let size: Int
        do {
            size = try file.size().length
        } catch {
            throw .file(error)
        }
        guard size > 0 else { throw .notARealmFile(path: path, reason: "it is empty") }
        let plain = RealmFileBytes(
            PlainRealmFilePages(file: file, path: path, length: size), path: path)
        let isPlain = try Self.hasMnemonic(plain)
        if let key {
            if isPlain { throw .notEncrypted(path: path) }
            return (try decrypted(size, key), size)
        }
        guard isPlain else {
            guard size >= Self.encryptedSizeMin else {
                throw .notARealmFile(path: path, reason: "it does not have the header of one")
            }
            throw .keyMissing(path: path)
        }
        guard size % 8 == 0 || salvage else {
            throw .damaged(
                path: path, offset: size,
                reason: "\(size) bytes are not a whole number of words, so the file is truncated")
        }
        return (plain, size)
    }

    private func decrypted(
        _ size: Int, _ key: [UInt8]
    ) throws(RealmFileError) -> RealmFileBytes {
        guard let cipher = RealmFileCipher(key: key) else { throw .keySize(key.count) }
        guard size >= Self.encryptedSizeMin else {
            throw .notARealmFile(path: path, reason: "it is shorter than an encrypted one can be")
        }
        guard RealmFileCipher.isAvailable else { throw .encryptionUnavailable(path: path) }
        let pages = EncryptedRealmFilePages(file: file, path: path, size: size, cipher: cipher)
        let bytes = RealmFileBytes(pages, path: path)
        let isReadable: Bool
        do {
            isReadable = try Self.hasMnemonic(bytes)
        } catch {
            guard case .damaged = error else { throw error }
            throw .wrongKey(path: path)
        }
        guard isReadable else { throw .wrongKey(path: path) }
        return bytes
    }

    private static func hasMnemonic(_ bytes: RealmFileBytes) throws(RealmFileError) -> Bool {
        guard bytes.length >= RealmFileHeader.size else { return false }
        let mnemonic = try bytes.read(
            at: RealmFileHeader.mnemonicOffset, count: RealmFileHeader.mnemonic.count)
        return mnemonic == RealmFileHeader.mnemonic
    }
}
