import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Encrypted files, and wrong keys.
@Suite struct RealmFileKeyTests {
    private let encrypted = Result { try RealmFileFolder.own.bytes("streaming-encrypted.realm") }
    private let plain = Result { try RealmFileFolder.own.bytes("unusual.realm") }

    private func error(_ bytes: [UInt8], key: [UInt8]?) -> RealmFileError? {
        do {
            var reading = RealmFileReading()
            _ = try reading.read(try RealmFileReading.open(bytes, key: key))
            return nil
        } catch {
            return error as? RealmFileError
        }
    }

    @Test func anEncryptedFileNeedsItsKey() throws {
        #expect(error(try encrypted.get(), key: nil) == .keyMissing(path: "file.realm"))
    }

    @Test func aKeyHas64Bytes() throws {
        for count in [0, 32, 63, 65] {
            let key = Array(RealmFileFolder.key.prefix(count)) + (count > 64 ? [0] : [])
            #expect(error(try encrypted.get(), key: key) == .keySize(count))
        }
    }

    @Test func aPlainFileTakesNoKey() throws {
        let found = error(try plain.get(), key: RealmFileFolder.key)
        #expect(found == .notEncrypted(path: "file.realm"))
    }

    @Test func otherFilesAreRefused() {
        let text = Array(String(repeating: "No T-DB here. ", count: 20).utf8)
        for count in [0, 1, 23, 24, 200] {
            let found = error(Array(text.prefix(count)), key: nil)
            guard case .notARealmFile = found else {
                Issue.record("\(count) bytes: \(String(describing: found))")
                continue
            }
        }
    }

    /// The file that remains if an app ended before it wrote anything.
    @Test func anEmptyFileIsReportedAsEmpty() {
        for key in [nil, RealmFileFolder.key] as [[UInt8]?] {
            let found = error([], key: key)
            #expect(found == .notARealmFile(path: "file.realm", reason: "it is empty"))
        }
    }

    /// A folder, such as a realm of this library, was reported as not being a realm.
    @Test func aFolderOrALinkIsNotARealmFile() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory
            .appendingPathComponent("no-realm-file-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        let file = folder.appendingPathComponent("file.realm").path
        try Data(plain.get()).write(to: URL(fileURLWithPath: file))
        let link = folder.appendingPathComponent("link.realm").path
        try manager.createSymbolicLink(atPath: link, withDestinationPath: file)
        let refused = [
            (folder.path, "it is not a regular file"), (link, "it is a symbolic link"),
        ]
        for (path, reason) in refused {
            let error = RealmFileError.notARealmFile(path: path, reason: reason)
            #expect(throws: error) { try RealmFile(path: path) }
            #expect("\(error)".contains("Choose the file that the app wrote"))
        }
        #expect(try !RealmFile(path: file).classes.isEmpty)
    }

    @Test(.enabled(if: !RealmFileCipher.isAvailable))
    func withoutCiphersTheErrorSaysWhatToEnable() throws {
        let found = try #require(error(try encrypted.get(), key: RealmFileFolder.key))
        #expect(found == .encryptionUnavailable(path: "file.realm"))
        #expect("\(found)".contains("--traits Encryption"))
    }

    @Test(.enabled(if: RealmFileCipher.isAvailable))
    func everyByteOfTheKeyCounts() throws {
        let bytes = try encrypted.get()
        #expect(error(bytes, key: RealmFileFolder.key) == nil)
        for index in 0..<64 {
            var key = RealmFileFolder.key
            key[index] ^= 0x10
            #expect(error(bytes, key: key) == .wrongKey(path: "file.realm"), "byte \(index)")
        }
    }

    @Test func everyBitOfADigestCounts() {
        let digest = (0..<28).map { UInt8(truncatingIfNeeded: $0 * 37) }
        #expect(RealmFileCipher.isEqual(digest, digest[...]))
        #expect(!RealmFileCipher.isEqual(digest, digest[1...]))
        for bit in 0..<28 * 8 {
            var other = digest
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!RealmFileCipher.isEqual(digest, other[...]), "bit \(bit)")
        }
    }

    /// F.2.6 of NIST SP 800-38A.
    @Test(.enabled(if: RealmFileCipher.isAvailable))
    func decryptionHasItsKnownAnswer() throws {
        let key: [UInt8] = [
            0x60, 0x3D, 0xEB, 0x10, 0x15, 0xCA, 0x71, 0xBE, 0x2B, 0x73, 0xAE, 0xF0, 0x85, 0x7D,
            0x77, 0x81, 0x1F, 0x35, 0x2C, 0x07, 0x3B, 0x61, 0x08, 0xD7, 0x2D, 0x98, 0x10, 0xA3,
            0x09, 0x14, 0xDF, 0xF4,
        ]
        let encrypted: [UInt8] = [
            0xF5, 0x8C, 0x4C, 0x04, 0xD6, 0xE5, 0xF1, 0xBA, 0x77, 0x9E, 0xAB, 0xFB, 0x5F, 0x7B,
            0xFB, 0xD6, 0x9C, 0xFC, 0x4E, 0x96, 0x7E, 0xDB, 0x80, 0x8D, 0x67, 0x9F, 0x77, 0x7B,
            0xC6, 0x70, 0x2C, 0x7D,
        ]
        let plain: [UInt8] = [
            0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93,
            0x17, 0x2A, 0xAE, 0x2D, 0x8A, 0x57, 0x1E, 0x03, 0xAC, 0x9C, 0x9E, 0xB7, 0x6F, 0xAC,
            0x45, 0xAF, 0x8E, 0x51,
        ]
        let cipher = try #require(RealmFileCipher(key: key + [UInt8](repeating: 0, count: 32)))
        #expect(cipher.decrypt(encrypted, vector: Array(0..<16)) == plain)
    }

    @Test(.enabled(if: RealmFileCipher.isAvailable && RealmFileFolder.shared != nil))
    func aTornPageIsAnErrorWhereItIsNeeded() throws {
        let bytes = try #require(RealmFileFolder.shared).bytes("encrypted-torn.realm")
        guard case .damaged = error(bytes, key: RealmFileFolder.key) else {
            Issue.record("a torn page was read")
            return
        }
    }
}
