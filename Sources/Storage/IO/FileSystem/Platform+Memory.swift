#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory in pages, from the operating system.
///
/// Unsafe: the caller owns the reserved memory until it releases all of it.
extension Platform {
    /// Zeroed memory, backed by physical pages only once it is written; nil, with the reason in
    /// `errorNumber`, if the process may not have so much.
    static func reserveMemory(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        let memory = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    }

    /// Discards the contents of whole pages, so that the system may reclaim them. They can be
    /// written again; until then their contents are undefined.
    static func discardMemory(_ pages: UnsafeMutableRawBufferPointer) {
        #if canImport(Darwin)
            let advice = MADV_FREE
        #else
            let advice = MADV_DONTNEED
        #endif
        // A failure only costs memory.
        _ = madvise(pages.baseAddress, pages.count, advice)
    }

    /// Releases memory of ``reserveMemory(_:)``.
    static func releaseMemory(_ memory: UnsafeMutableRawBufferPointer) {
        _ = munmap(memory.baseAddress, memory.count)
    }

    /// `byteCount` bytes of memory directly before an inaccessible page, so that an overrun
    /// crashes. Nil as of ``reserveMemory(_:)``.
    static func reserveGuardedMemory(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let (size, page) = guardedSize(byteCount)
        guard let start = reserveMemory(size + page)?.baseAddress,
            mprotect(start + size, page, PROT_NONE) == 0
        else { return nil }
        return start + (size - byteCount)
    }

    /// Releases memory of ``reserveGuardedMemory(_:)``, with the same number of bytes.
    static func releaseGuardedMemory(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
        let (size, page) = guardedSize(byteCount)
        releaseMemory(
            UnsafeMutableRawBufferPointer(
                start: memory - (size - byteCount), count: size + page))
    }

    /// The whole pages that `byteCount` bytes take, and the size of a page.
    private static func guardedSize(_ byteCount: Int) -> (size: Int, page: Int) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        return ((byteCount + page - 1) / page * page, page)
    }
}
