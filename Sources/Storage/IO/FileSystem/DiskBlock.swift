/// The unit in which file systems allocate space and disks report errors.
enum DiskBlock {
    /// In bytes. File systems with smaller blocks allocate several of them.
    static let size = 4096

    /// The end of the block that contains the byte at `offset`.
    static func end(at offset: Int) -> Int { (offset & ~(size - 1)) + size }

    /// The bytes of the blocks that `count` bytes need.
    static func roundedUp(_ count: Int) -> Int { (count + size - 1) & ~(size - 1) }
}
