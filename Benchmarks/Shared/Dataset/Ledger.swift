/// Entries of accounts, each of a day: few of every account, and hardly two of one on one day.
enum Ledger {
    static let entriesPerAccount = 200
    static let days = 3650
    private static let seed: UInt64 = 0x0A0B_0C0D_0E0F_0102

    /// A share of the persons' number.
    static func count(_ persons: Int) -> Int { persons / 5 }

    static func accounts(_ count: Int) -> Int { max(1, count / entriesPerAccount) }

    static func account(_ entry: Int, of count: Int) -> Int {
        Int(Dataset.draw(seed, UInt64(entry * 3)) % UInt64(accounts(count)))
    }

    static func day(_ entry: Int) -> Int {
        Int(Dataset.draw(seed, UInt64(entry * 3 + 1)) % UInt64(days))
    }

    static func amount(_ entry: Int) -> Int {
        Int(Dataset.draw(seed, UInt64(entry * 3 + 2)) % 100_000)
    }

    /// How many entries are looked up by account and day.
    static func lookUps(_ count: Int) -> Int { count / 4 }

    /// The entry whose account and day a look-up asks for.
    static func sought(_ lookUp: Int, of count: Int) -> Int {
        Int(Dataset.draw(seed &+ 1, UInt64(lookUp)) % UInt64(count))
    }

    static let pageSize = 20

    /// The accounts that are gone through page by page, in the order of days.
    static func paged(_ count: Int) -> Range<Int> { 0..<min(accounts(count), 200) }

    /// What a walk over pages comes to, which depends on the order.
    static func append(_ amount: Int, to hash: inout UInt64) {
        hash = hash &* 31 &+ UInt64(amount)
    }

    /// The sum of the amounts that all look-ups find, and what the pages come to, in plain arrays.
    static func expected(_ count: Int) -> (sum: Int, hash: UInt64) {
        var entries: [[Int]] = Array(repeating: [], count: accounts(count))
        for entry in 0..<count { entries[account(entry, of: count)].append(entry) }
        var sum = 0
        for lookUp in 0..<lookUps(count) {
            let sought = sought(lookUp, of: count)
            for entry in entries[account(sought, of: count)] where day(entry) == day(sought) {
                sum += amount(entry)
            }
        }
        var hash: UInt64 = 0
        for account in paged(count) {
            for entry in entries[account].sorted(by: { (day($0), $0) < (day($1), $1) }) {
                append(amount(entry), to: &hash)
            }
        }
        return (sum, hash)
    }
}
