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
}
