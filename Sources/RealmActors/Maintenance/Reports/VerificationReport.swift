import Storage

/// The result of ``Realm/verify(progress:)``: the checked amounts and the problems found.
public struct VerificationReport: Sendable, Hashable {
    /// The version whose objects were checked.
    public let version: Realm.Version
    /// The first thousand problems, in the order in which they were found.
    public let problems: [Problem]
    /// The number of problems, including those beyond ``problems``.
    public let problemCount: Int
    /// The checked amounts.
    public let checked: Counts

    /// Whether no problem was found.
    public var isIntact: Bool { problemCount == 0 }

    /// The amounts that a verification has checked.
    public struct Counts: Sendable, Hashable {
        /// Nodes of the tree.
        public let nodes: Int
        /// Bytes in these nodes.
        public let nodeBytes: Int
        /// Objects of all classes, embedded ones included.
        public let objects: Int
        /// Values of properties that are not collections.
        public let values: Int
        /// Elements of lists, sets and maps.
        public let elements: Int
        /// Links of properties and collections, each compared with its backlink.
        public let links: Int
        /// Entries of indexes and backlinks.
        public let indexEntries: Int
        /// Files of the log.
        public let segments: Int
        /// Frames in them.
        public let frames: Int
        /// Commits in these frames.
        public let commits: Int
        /// Bytes of these frames.
        public let logBytes: Int
    }

    /// One finding.
    public struct Problem: Sendable, Hashable {
        /// The kind of damage.
        public let kind: Kind
        /// The class in whose data it is; nil when it is not within a class.
        public let className: String?
        /// The property in whose data it is; nil when it is not within one.
        public let propertyName: String?
        /// The internal number of the object that it was found at; nil when there is none.
        public let row: Int64?
        /// The file in which it is; nil when it was found in memory.
        public let file: String?
        /// The byte of the file.
        public let offset: Int?
        /// The problem in words.
        public let reason: String
    }

    /// The kind of a problem. Later versions may add kinds: end a `switch` over them with
    /// `default`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A node of the tree is not the one that belongs there.
        case node
        /// A count does not match what is there.
        case count
        /// Keys, elements or entries are not in order.
        case order
        /// Bytes that no value has, or a value that an enum or a custom type does not have.
        case value
        /// An index and the objects disagree.
        case index
        /// Two objects have one primary key.
        case duplicatePrimaryKey
        /// A link leads nowhere.
        case link
        /// Links and backlinks disagree.
        case backlink
        /// An embedded object has no parent, or several.
        case ownership
        /// The accounting of space is wrong.
        case space
        /// A part of the log does not verify.
        case log
    }
}

extension VerificationReport.Problem: CustomStringConvertible {
    /// The location and the problem.
    public var description: String {
        var place: [String] = []
        if let className { place.append("class '\(className)'") }
        if let propertyName { place.append("property '\(propertyName)'") }
        if let row { place.append("object \(row)") }
        if let file { place.append("\(file), byte \(offset ?? 0)") }
        return (place.isEmpty ? "the store" : place.joined(separator: ", ")) + ": " + reason
    }
}

extension VerificationReport {
    init(_ outcome: VerificationOutcome, _ mapped: MappedValues) {
        version = Realm.Version(outcome.version)
        problemCount = outcome.problemCount + mapped.count
        problems = outcome.problems.map { Problem($0, outcome.schema) } + mapped.problems
        checked = Counts(outcome.counts)
    }
}

extension VerificationReport.Counts {
    fileprivate init(_ counts: VerificationCounts) {
        nodes = counts.nodes
        nodeBytes = counts.nodeBytes
        objects = counts.rows
        values = counts.values
        elements = counts.elements
        links = counts.links
        indexEntries = counts.indexEntries
        segments = counts.segments
        frames = counts.frames
        commits = counts.commits
        logBytes = counts.logBytes
    }
}

extension VerificationReport.Problem {
    fileprivate init(_ problem: StoreProblem, _ schema: StoreSchema) {
        kind = VerificationReport.Kind(problem.kind)
        let entry = problem.place.classID.map { schema[$0] }
        className = entry?.name
        propertyName = problem.place.column.flatMap { entry?.columns[$0.rawValue].name }
        row = problem.place.row?.rawValue
        file = problem.place.file
        offset = problem.place.offset
        reason = problem.reason
    }
}

extension VerificationReport.Kind {
    fileprivate init(_ kind: StoreProblem.Kind) {
        switch kind {
        case .node: self = .node
        case .count: self = .count
        case .order: self = .order
        case .value: self = .value
        case .index: self = .index
        case .duplicateKey: self = .duplicatePrimaryKey
        case .link: self = .link
        case .backlink: self = .backlink
        case .ownership: self = .ownership
        case .space: self = .space
        case .log: self = .log
        }
    }
}
