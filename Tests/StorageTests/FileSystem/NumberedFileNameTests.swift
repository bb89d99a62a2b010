import StorageHarness
import Testing

@testable import Storage

@Suite struct NumberedFileNameTests {
    @Test func namesAreDecodedAsEncoded() {
        for number in [1, 42, UInt32.max] {
            #expect(SegmentIndex(fileName: SegmentIndex(number).fileName)?.rawValue == number)
        }
        for name in [
            "+000000001.log", "-000000001.log", "0000000000.log", "4294967296.log", "1.log",
            "0000000001.pages", " 000000001.log",
        ] {
            #expect(SegmentIndex(fileName: name) == nil, "\(name)")
        }
    }

    /// It was treated as a second segment with the number, and the store was refused because of a
    /// gap.
    @Test func aFileWithASignInItsNameIsNotASegment() async throws {
        let disk = SimulatedDisk()
        let process = try StoreProcess(disk)
        try process.insert(0..<300)
        await process.close()
        _ = try disk.open("store.realm/log/+000000001.log", .create)
        let again = try StoreProcess(disk)
        #expect(again.numbers.elementsEqual(0..<300))
        await again.close()
    }
}
