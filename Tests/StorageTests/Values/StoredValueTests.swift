import Testing

@testable import Storage

@Suite struct StoredValueTests {
    /// The synthesised comparison took texts for equal that differ in bytes, so that an update
    /// which only changed how a letter is written was dropped.
    @Test func textsAreEqualWhenTheirBytesAre() {
        let composed = StoredValue.string("\u{E9}")
        let decomposed = StoredValue.string("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }

    @Test func theOrderIsTotalAcrossKinds() {
        let ascending: [StoredValue] = [
            .null, .bool(false), .bool(true), .double(.nan), .int(-3), .double(-2.5), .int(7),
            .string(""), .string("a"), .string("b"), .date(0), .link(RowKey(1)), .link(RowKey(2)),
        ]
        for (index, value) in ascending.enumerated() {
            for (other, later) in ascending.enumerated() {
                #expect((value < later) == (index < other), "\(value) and \(later)")
            }
        }
    }
}
