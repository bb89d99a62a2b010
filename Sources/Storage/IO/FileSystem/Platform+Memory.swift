#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Memory in pages, straight from the system.
///
/// Unsafe: what is reserved belongs to the caller until the caller releases it, as a whole.
extension Platform {
    /// Memory that reads as zeros and takes none of the machine's until it is written; nil, with
    /// the reason in `errorNumber`, when the process may not have so much.
    static func reserveMemory(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        let memory = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    }

    /// Says that what whole pages hold is not needed any more, so that the system may use them
    /// elsewhere. They can be written again; until then they hold anything.
    static func discardMemory(_ pages: UnsafeMutableRawBufferPointer) {
        #if canImport(Darwin)
            let advice = MADV_FREE
        #else
            let advice = MADV_DONTNEED
        #endif
        // Where it fails the pages stay, which costs memory and nothing else.
        _ = madvise(pages.baseAddress, pages.count, advice)
    }

    /// Gives back memory of ``reserveMemory(_:)``.
    static func releaseMemory(_ memory: UnsafeMutableRawBufferPointer) {
        _ = munmap(memory.baseAddress, memory.count)
    }

    /// `byteCount` bytes of memory directly before a page that nobody may touch: reading on behind
    /// them ends the process. Nil as of ``reserveMemory(_:)``.
    static func reserveGuardedMemory(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let (size, page) = guardedSize(byteCount)
        guard let start = reserveMemory(size + page)?.baseAddress,
            mprotect(start + size, page, PROT_NONE) == 0
        else { return nil }
        return start + (size - byteCount)
    }

    /// Gives back as many bytes of ``reserveGuardedMemory(_:)``.
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
