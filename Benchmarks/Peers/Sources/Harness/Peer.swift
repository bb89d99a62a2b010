/// A database that the workloads drive through its native interface, tuned as its documentation
/// advises.
///
/// An instance is one open database, used from one thread at a time.
protocol Peer: AnyObject, SendableMetatype {
    /// What the output calls it.
    static var name: String { get }

    /// Opens a database, making it when there is none.
    init(path: String, durability: PeerDurability) throws
    /// Closes it, checkpointed.
    func close() throws

    /// Makes persons and stores them in one transaction.
    func insertPersons(_ numbers: Range<Int>, key: (Int) -> Int) throws
    /// One transaction for one person.
    func insertPerson(_ number: Int) throws
    /// One transaction for one string object.
    func insertString(_ number: Int) throws
    /// Persons and string objects in the database.
    func objectCount() throws -> Int

    /// The name of one person.
    func name(of key: Int) throws -> String?
    /// The sum of age and first letter over persons found by key, in one read transaction.
    func sumByKey(_ count: Int, key: (Int) -> Int) throws -> Int
    /// The same by e-mail address.
    func sumByEmail(_ emails: [String]) throws -> Int
    func count(_ condition: PeerCondition) throws -> Int
    func aggregate(_ aggregate: PeerAggregate) throws -> Double
    /// The sum over all groups of what is worked out of each; nil when the database has no groups.
    func sumOfGroups(_ grouping: PeerGrouping) throws -> Double?
    /// How many different names there are; nil when the database does not count them.
    func countOfNames() throws -> Int?
    /// Sorts by name, either for the first thousand only or all, and walks the first thousand;
    /// nil when the database has no way to do it.
    func firstThousand(limited: Bool) throws -> PeerEnds?
    /// The hash over the ages in the order of names.
    func hashOfAgesByName() throws -> UInt64
    /// The sum of age and first letter over all persons.
    func sumOfAll() throws -> Int

    /// One transaction that makes everybody a year older.
    func incrementAllAges() throws
    /// One transaction that makes one person a year older.
    func incrementAge(of key: Int) throws
    /// One transaction that deletes everybody above 30.
    func deleteOlder() throws

    /// Makes readers for other threads, for as long as the database is open.
    var readers: @Sendable () throws -> any PeerReader { get }

    /// A database for many tasks that each await commits.
    static func committer(path: String, durability: PeerDurability) throws -> any PeerCommitter

    /// Microseconds from the call of a commit to the watcher of all persons, commit by commit;
    /// nil when the database does not report changes.
    static func streamLatencies(
        path: String, rows: Int, commits: Int
    ) async throws -> [Double]?

    /// Makes so many notes with an index of their words in one transaction, and runs all searches
    /// three times; nil when the database has no such index.
    static func fullText(path: String, notes: Int) throws -> PeerSearches?

    /// Makes so many entries of accounts with an index of account and day, looks some up by both
    /// and goes through the pages of some accounts; nil when the database has no such index.
    static func composites(path: String, entries: Int) throws -> PeerComposites?

    /// Makes so many places with an index in one transaction, and looks for those in all areas and
    /// for the nearest ones; nil when the database has no such index.
    static func geo(path: String, places: Int) throws -> PeerPlaces?
}

extension Peer {
    static func committer(path: String, durability: PeerDurability) throws -> any PeerCommitter {
        try SerialCommitter<Self>(path: path, durability: durability)
    }

    static func streamLatencies(
        path: String, rows: Int, commits: Int
    ) async throws -> [Double]? {
        nil
    }

    static func fullText(path: String, notes: Int) throws -> PeerSearches? { nil }

    static func composites(path: String, entries: Int) throws -> PeerComposites? { nil }

    static func geo(path: String, places: Int) throws -> PeerPlaces? { nil }

    func sumOfGroups(_ grouping: PeerGrouping) throws -> Double? { nil }

    func countOfNames() throws -> Int? { nil }
}

/// What searching in texts took.
struct PeerSearches {
    let buildSeconds: Double
    let searchSeconds: Double
    /// How many notes were found.
    let found: Int
}

/// What an index of two properties took.
struct PeerComposites {
    let lookUpSeconds: Double
    /// What was found, added up.
    let sum: Int
    let pageSeconds: Double
    let pages: Int
    /// What the pages came to.
    let hash: UInt64
}

/// Reads beside a writer.
protocol PeerReader {
    /// Looks persons up in one read transaction.
    func lookUp(_ keys: [Int]) throws -> (found: Int, sum: Int)
}

/// Commits for many tasks.
protocol PeerCommitter: Sendable {
    func insertString(_ number: Int) async throws
    func insertPerson(_ number: Int) async throws
    func objectCount() async throws -> Int
    func close() async throws
}

/// When a commit counts as done.
enum PeerDurability: Sendable {
    /// When the medium has it.
    case synced
    /// When the operating system has it.
    case unsynced
}

/// What `w06` and `w27_modulo` count.
enum PeerCondition: Sendable {
    case olderAndActive, nameBegins, nameContains, ageRemainder
}

/// What `w07` computes.
enum PeerAggregate: Sendable {
    case scoreSum, ageSum, ageAverage, ageMinimum, ageMaximum
}

/// What `w25` groups persons by.
enum PeerGrouping: Sendable {
    /// Count, sum and maximum of the scores of each age.
    case age
    /// The count of each name.
    case name
}

/// The names at both ends of the first thousand.
struct PeerEnds {
    var first: String
    var last: String
}

/// A database that refused a call.
struct PeerFailure: Error, CustomStringConvertible {
    let description: String
}
