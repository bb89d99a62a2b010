package import Storage
import Synchronization

// Safety: bytes that are about to be written, lent for the call; every field is read within them.

/// Watches all that an encrypted store hands to its files, and says when two different things were
/// sealed with one key and nonce: then an attacker who saw both could read and forge.
///
/// It knows the format from its description alone. A frame's key is known by the salt that its
/// header verifies under, and its nonce is its position. Of page files nothing may be written twice
/// to one place, unless it is the same.
package final class NonceAuditor: Sendable {
    private struct Frame: Hashable, Sendable {
        let salt: Bits128
        let position: UInt64
    }

    private struct State: Sendable {
        var database: Bits128?
        var salts: [Bits128] = []
        /// Digests of what was sealed.
        var frames: [Frame: UInt64] = [:]
        /// What was written, by the salt of the page file; nil where nothing was.
        var pages: [Bits128: [UInt8?]] = [:]
        var pageSalts: [String: Bits128] = [:]
        var problems: [String] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// What was found so far.
    package var problems: [String] { state.withLock { $0.problems } }

    /// Frames and page files that were looked at.
    package var counts: (frames: Int, pages: Int) {
        state.withLock { ($0.frames.count, $0.pages.count) }
    }

    /// The same files, watched.
    package func watching(_ base: any FileSystem) -> any FileSystem {
        AuditedFiles(base: base, auditor: self)
    }

    fileprivate func note(_ bytes: UnsafeRawBufferPointer, _ path: String, _ offset: Int) {
        state.withLock { state in
            if path.hasSuffix(".log") { Self.noteLog(bytes, path, offset, &state) }
            if path.hasSuffix(".pages") { Self.notePages(bytes, path, offset, &state) }
        }
    }

    // MARK: Frames

    private static let frameHeaderSize = 56
    private static let segmentHeaderSize = 128

    private static func noteLog(
        _ bytes: UnsafeRawBufferPointer, _ path: String, _ offset: Int, _ state: inout State
    ) {
        var cursor = 0
        if offset == 0 {
            guard bytes.count >= segmentHeaderSize, word(bytes, 0) != 0 else { return }
            state.database = salt(bytes, 16)
            state.salts.append(salt(bytes, 48))
            cursor = segmentHeaderSize
        }
        guard let database = state.database else { return }
        while cursor + frameHeaderSize <= bytes.count, bytes[cursor] != 0 {
            let length = Int(UInt32(truncatingIfNeeded: word(bytes, cursor) >> 32))
            let end = cursor + frameHeaderSize + length
            guard end <= bytes.count else { return }
            if bytes[cursor] == 1 { state.salts.append(salt(bytes, cursor + frameHeaderSize)) }
            let header = UnsafeRawBufferPointer(rebasing: bytes[cursor..<cursor + 48])
            let key = state.salts.last {
                XXH64.hash(header, seed: $0.low ^ database.low) == word(bytes, cursor + 48)
            }
            guard let key else {
                return state.problems.append("\(path), \(offset + cursor): under no known salt")
            }
            let frame = Frame(salt: key, position: word(bytes, cursor + 16))
            let digest = XXH64.hash(
                UnsafeRawBufferPointer(rebasing: bytes[cursor + frameHeaderSize..<end]))
            if let before = state.frames.updateValue(digest, forKey: frame), before != digest {
                state.problems.append("\(path): position \(frame.position) was sealed twice")
            }
            cursor = end
        }
    }

    // MARK: Page files

    private static let pageHeaderSize = 64

    private static func notePages(
        _ bytes: UnsafeRawBufferPointer, _ path: String, _ offset: Int, _ state: inout State
    ) {
        guard offset > 0 else { return state.pageSalts[path] = salt(bytes, 32) }
        guard let salt = state.pageSalts[path] else {
            return state.problems.append("\(path) was written before its header")
        }
        var image = state.pages[salt] ?? []
        if image.count < offset + bytes.count {
            image += [UInt8?](repeating: nil, count: offset + bytes.count - image.count)
        }
        var isTwice = false
        for index in bytes.indices {
            if let before = image[offset + index], before != bytes[index] { isTwice = true }
            image[offset + index] = bytes[index]
        }
        state.pages[salt] = image
        if isTwice { state.problems.append("\(path), \(offset): nodes were sealed twice") }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func salt(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Bits128 {
        Bits128(low: word(bytes, offset), high: word(bytes, offset + 8))
    }
}

private struct AuditedFiles: WrappedFiles {
    let base: any FileSystem
    let auditor: NonceAuditor

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return mode == .readOnly ? file : AuditedFile(file, path, auditor)
    }
}

private final class AuditedFile: WrappedFile {
    let base: any File
    private let path: String
    private let auditor: NonceAuditor

    init(_ base: any File, _ path: String, _ auditor: NonceAuditor) {
        self.base = base
        self.path = path
        self.auditor = auditor
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        auditor.note(bytes, path, offset)
        try base.write(bytes, at: offset)
    }
}
