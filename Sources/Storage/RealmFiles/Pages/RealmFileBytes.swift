import Synchronization

// Safety: all memory is that of arrays owned here, lent for the duration of a call; ranges are
// checked against the length of the file before anything is copied.

/// The bytes of a `.realm` file, read by position through a bounded cache of pages.
///
/// Mapping the file would be simpler, but if the file is truncated meanwhile, an access would end
/// the process.
final class RealmFileBytes: Sendable {
    /// The maximum size of the cache.
    private static let capacity = 4 << 20

    let path: String
    /// Bytes that can be read: the length at opening.
    let length: Int
    private let pages: any RealmFilePages
    private let cache: Mutex<Cache>

    init(_ pages: any RealmFilePages, path: String) {
        self.pages = pages
        self.path = path
        length = pages.length
        cache = Mutex(Cache(slots: Self.capacity / pages.pageSize))
    }

    /// The bytes of a range, which must be within the file.
    func read(at offset: Int, count: Int) throws(RealmFileError) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= length, count <= length - offset else {
            throw .damaged(
                path: path, offset: offset, reason: "\(count) bytes from there on end past the file"
            )
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let error = bytes.withUnsafeMutableBytes { buffer in copy(from: offset, into: buffer) }
        if let error { throw error }
        return bytes
    }

    /// Eight bytes, which must be within the file.
    func word(at offset: Int) throws(RealmFileError) -> UInt64 {
        guard offset >= 0, offset <= length - 8 else {
            throw .damaged(path: path, offset: offset, reason: "the file ends there")
        }
        var word: UInt64 = 0
        let error = withUnsafeMutableBytes(of: &word) { copy(from: offset, into: $0) }
        if let error { throw error }
        return UInt64(littleEndian: word)
    }

    private func copy(
        from offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) -> RealmFileError? {
        let size = pages.pageSize
        var done = 0
        return cache.withLock { cache in
            while done < buffer.count {
                let page = (offset + done) / size
                let start = (offset + done) % size
                let count = min(size - start, buffer.count - done)
                do throws(RealmFileError) {
                    let slot = try cache.slot(of: page, of: pages)
                    cache.contents[slot].withUnsafeBytes { bytes in
                        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                        buffer.slice(done..<done + count).copyMemory(from: part)
                    }
                } catch {
                    return error
                }
                done += count
            }
            return nil
        }
    }
}

extension RealmFileBytes {
    /// Recently read pages, replaced by second chance.
    private struct Cache {
        private let slots: Int
        private var slotOfPage: [Int: Int] = [:]
        private var pageOfSlot: [Int] = []
        private var isUsed: [Bool] = []
        private var hand = 0
        private var last = (page: -1, slot: 0)
        fileprivate var contents: [[UInt8]] = []

        init(slots: Int) { self.slots = slots }

        mutating func slot(
            of page: Int, of pages: any RealmFilePages
        ) throws(RealmFileError) -> Int {
            if last.page == page { return last.slot }
            if let slot = slotOfPage[page] {
                isUsed[slot] = true
                last = (page, slot)
                return slot
            }
            let size = min(pages.pageSize, pages.length - page * pages.pageSize)
            var bytes = [UInt8](repeating: 0, count: size)
            let error: RealmFileError? = bytes.withUnsafeMutableBytes { buffer in
                do throws(RealmFileError) {
                    try pages.read(page: page, into: buffer)
                    return nil
                } catch {
                    return error
                }
            }
            if let error { throw error }
            return insert(page, bytes)
        }

        private mutating func insert(_ page: Int, _ bytes: [UInt8]) -> Int {
            let slot: Int
            if contents.count < slots {
                slot = contents.count
                contents.append(bytes)
                pageOfSlot.append(page)
                isUsed.append(true)
            } else {
                slot = free()
                slotOfPage[pageOfSlot[slot]] = nil
                contents[slot] = bytes
                pageOfSlot[slot] = page
                isUsed[slot] = true
            }
            slotOfPage[page] = slot
            last = (page, slot)
            return slot
        }

        private mutating func free() -> Int {
            while isUsed[hand] {
                isUsed[hand] = false
                hand = (hand + 1) % slots
            }
            defer { hand = (hand + 1) % slots }
            return hand
        }
    }
}
