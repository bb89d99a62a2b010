/// Numbers by the hashes of what they stand for, several of which may share one.
///
/// Open addressing in one array: a look-up is one place of memory, nearly always, where a
/// dictionary of so many has two and hashes once more.
struct HashedNumbers: Sendable {
    private struct Slot {
        var hash: UInt64 = 0
        /// -1 where it is free.
        var number: Int = -1
    }

    private var slots: [Slot]
    /// How far a hash is shifted to give the slot where its numbers begin.
    private var shift: UInt64
    private var count = 0

    init() {
        let bits: UInt64 = 6
        slots = Array(repeating: Slot(), count: 1 << Int(bits))
        shift = 64 - bits
    }

    /// The number with a hash that is the one; nil for none. Bits of the hash that differ among few
    /// numbers are the upper ones.
    @inline(__always)
    func first(_ hash: UInt64, where isIt: (Int) -> Bool = { _ in true }) -> Int? {
        var index = Int(truncatingIfNeeded: hash >> shift)
        while slots[index].number >= 0 {
            if slots[index].hash == hash, isIt(slots[index].number) { return slots[index].number }
            index = (index &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// Adds a number that is not there.
    mutating func insert(_ number: Int, _ hash: UInt64) {
        // At most two of three slots are taken, so that runs of them stay short.
        if 3 * (count + 1) > 2 * slots.count { grow() }
        place(Slot(hash: hash, number: number))
        count += 1
    }

    private mutating func place(_ slot: Slot) {
        var index = Int(truncatingIfNeeded: slot.hash >> shift)
        while slots[index].number >= 0 { index = (index &+ 1) & (slots.count &- 1) }
        slots[index] = slot
    }

    private mutating func grow() {
        let former = slots
        slots = Array(repeating: Slot(), count: former.count * 2)
        shift -= 1
        for slot in former where slot.number >= 0 { place(slot) }
    }
}
