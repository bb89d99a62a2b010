import Foundation
import Testing

/// Damages the first page file of the store at `path`, which is closed, up to the offset `end`. The
/// nodes written first are clusters with their chunks; indexes and what opening reads follow them.
func damagePages(of path: String, upTo end: UInt64 = 100_000) throws {
    let pages = try #require(FileHandle(forUpdatingAtPath: path + "/pages/0000000001.pages"))
    for offset in stride(from: 64, to: end, by: 97) {
        try pages.seek(toOffset: offset)
        try pages.write(contentsOf: Data([0xAA, 0xBB, 0xCC, 0xDD]))
    }
    try pages.close()
}
