/// Numbers by the hashes of the values that they represent. Several values may share a hash.
///
/// Open addressing in one array: a look-up nearly always reads one cache line, while a dictionary
/// reads two and hashes again. Only half of each hash is stored, for a smaller array: the caller
/// compares the represented values.
struct HashedNumbers: Sendable {
    private struct Slot {
        /// The upper half of the hash.
        var hash: UInt32 = 0
        /// The number and one; 0 where the slot is free.
        var place: UInt32 = 0
    }

    private var slots: [Slot]
    /// The shift that turns a hash into the slot where its numbers begin.
    private var shift: UInt32
    private var count = 0

    init() {
        let bits: UInt32 = 6
        slots = Array(repeating: Slot(), count: 1 << Int(bits))
        shift = 32 - bits
    }

    /// The number with a hash that is the one; nil for none. Bits of the hash that differ among few
    /// numbers are the upper ones.
    @inline(__always)
    func first(_ hash: UInt64, where isIt: (Int) -> Bool) -> Int? {
        let half = UInt32(truncatingIfNeeded: hash >> 32)
        var index = Int(half >> shift)
        while slots[index].place != 0 {
            if slots[index].hash == half {
                let number = Int(slots[index].place) - 1
                if isIt(number) { return number }
            }
            index = (index &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// Reads where the numbers with a hash begin.
    @inline(__always)
    func begin(_ hash: UInt64) -> Int {
        Int(slots[Int(UInt32(truncatingIfNeeded: hash >> 32) >> shift)].place)
    }

    /// Reserves capacity for so many numbers.
    mutating func reserve(_ numbers: Int) {
        var times = 1
        // At most two of three slots are taken, so that runs of them stay short.
        while 3 * numbers > 2 * times * slots.count { times *= 2 }
        if times > 1 { grow(times) }
    }

    /// Adds a number that is not there.
    mutating func insert(_ number: Int, _ hash: UInt64) {
        reserve(count + 1)
        place(Slot(hash: UInt32(truncatingIfNeeded: hash >> 32), place: UInt32(number + 1)))
        count += 1
    }

    private mutating func place(_ slot: Slot) {
        var index = Int(slot.hash >> shift)
        while slots[index].place != 0 { index = (index &+ 1) & (slots.count &- 1) }
        slots[index] = slot
    }

    private mutating func grow(_ times: Int) {
        let former = slots
        slots = Array(repeating: Slot(), count: former.count * times)
        shift -= UInt32(times.trailingZeroBitCount)
        // In the order of their hashes, nearly, so that memory is traversed once.
        for slot in former where slot.place != 0 { place(slot) }
    }
}
