import Foundation
import Storage

/// Texts or bytes by their numbers, in one contiguous buffer, so that many of them need no
/// reference counting.
struct GroupTexts: Sendable {
    private let kind: ValueKind
    private var bytes: [UInt8] = []
    /// The end of each text, by number.
    private var ends: [Int] = []

    /// Texts, or bytes.
    init(_ kind: ValueKind) { self.kind = kind }

    /// The most bytes to reserve in advance.
    private static let reservedMax = 256 << 20

    /// Reserves capacity for so many texts of the average length so far.
    mutating func reserve(_ count: Int) {
        let length = bytes.count / max(ends.count, 1) + 1
        ends.reserveCapacity(count)
        bytes.reserveCapacity(min(length * count, Self.reservedMax))
    }

    /// The memory that the texts take, in bytes.
    var byteCount: Int { bytes.count + ends.count * MemoryLayout<Int>.stride }

    /// Adds the text with a number; numbers that are left out have an empty one.
    mutating func append(_ text: UnsafeRawBufferPointer, as number: Int) {
        while ends.count < number { ends.append(bytes.count) }
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
    }

    /// The bytes of the text with a number.
    private func range(_ number: Int) -> Range<Int> {
        number < ends.count ? (number == 0 ? 0 : ends[number - 1])..<ends[number] : 0..<0
    }

    @inline(__always)
    func isEqual(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        let range = range(number)
        if range.count != text.count { return false }
        // Unsafe: borrowed for the comparison, which keeps within both.
        return bytes.withUnsafeBytes { bytes in
            ByteOrder.compare(UnsafeRawBufferPointer(rebasing: bytes[range]), text) == 0
        }
    }

    /// The texts with some numbers, one after the other.
    func values(of numbers: ArraySlice<Int>) -> [StoredValue] {
        // Unsafe: borrowed for the call, which copies what it returns.
        bytes.withUnsafeBytes { bytes in
            // Each is at an arbitrary address. Loads of a byte of all of them overlap, as nothing
            // depends on these; making the texts would wait for each.
            var read = 0
            for number in numbers {
                let start = range(number).lowerBound
                if start < bytes.count { read &+= Int(bytes[start]) }
            }
            // Keeps the compiler from removing the loads.
            precondition(read >= 0)
            return numbers.map { value($0, in: bytes) }
        }
    }

    func value(_ number: Int) -> StoredValue {
        // Unsafe: borrowed for the call, which copies what it returns.
        bytes.withUnsafeBytes { value(number, in: $0) }
    }

    // Unsafe: copies bytes of the caller's buffer, which is valid for the call.
    private func value(_ number: Int, in bytes: UnsafeRawBufferPointer) -> StoredValue {
        let text = UnsafeRawBufferPointer(rebasing: bytes[range(number)])
        if kind == .data { return .data(Data(text)) }
        return .string(String(decoding: text, as: UTF8.self))
    }

    // MARK: Order

    /// The length of the prefix that is sorted by its words; longer texts are compared as a whole.
    private static let prefixedMax = 64
    /// The most texts with an equal prefix that are sorted by comparison.
    private static let comparisonSortMax = 32

    /// Sorts entries, whose rows are numbers, by what these have. The rank of an entry is 1 if its
    /// text equals that of the entry before.
    func sort(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
        // Unsafe: borrowed for the call, which keeps within it.
        bytes.withUnsafeBytes { sort(entries, $0, behind: 0) }
    }

    private func sort(
        _ entries: UnsafeMutableBufferPointer<SortEntry>, _ bytes: UnsafeRawBufferPointer,
        behind offset: Int
    ) {
        for index in entries.indices {
            let range = range(Int(entries[index].row))
            let start = min(range.lowerBound + offset, range.upperBound)
            // Unsafe: within the caller's bytes, which are valid for the call.
            entries[index].bits = IndexKey.of(
                UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound]))
        }
        SortEntry.sort(entries)
        let next = offset + MemoryLayout<UInt64>.size
        SortEntry.forEachTie(entries) { run in
            if run.count > Self.comparisonSortMax, next < Self.prefixedMax,
                run.contains(where: { range(Int($0.row)).count > next })
            {
                return sort(run, bytes, behind: next)
            }
            var run = run
            // Unsafe: as above.
            let text = { (entry: SortEntry) in
                UnsafeRawBufferPointer(rebasing: bytes[range(Int(entry.row))])
            }
            run.sort { ByteOrder.compare(text($0), text($1)) < 0 }
            for place in run.indices.dropFirst()
            where isEqual(Int(run[place - 1].row), text(run[place])) {
                run[place].rank = 1
            }
        }
    }
}
