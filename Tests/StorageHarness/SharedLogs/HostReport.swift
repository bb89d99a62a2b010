package import Storage

/// A report of a host that is a process, in one line.
///
/// Moments are those of the clock of the machine on which all hosts run.
package enum HostReport: Equatable, Sendable {
    case begun(number: Int64, moment: Int)
    case acknowledged(number: Int64, moment: Int, Version)
    case refused(number: Int64, moment: Int)
    case unknown(number: Int64, moment: Int)
    case snapshot(Version, hash: Int64)
    case element(Version, hash: Int64)
    case refresh(begun: Int, Version)
    /// A commit that is in the log.
    case entry(Version, number: Int64, seen: Int64, hash: Int64)
    /// The newest version, when no host writes any more.
    case newest(Version, hash: Int64)
    /// The log has lost entries that this host has read.
    case diverged
    /// This host has made its mistake.
    case erred
    case problem(String)

    /// The moment at which a commit was acknowledged, if the report is about one.
    package var acknowledgement: Int? {
        if case .acknowledged(_, let moment, _) = self { moment } else { nil }
    }

    /// What a host writes, and ``init(_:)`` reads.
    package var line: String {
        switch self {
        case .begun(let number, let moment): "begun \(number) \(moment)"
        case .acknowledged(let number, let moment, let version):
            "acknowledged \(number) \(moment) \(version)"
        case .refused(let number, let moment): "refused \(number) \(moment)"
        case .unknown(let number, let moment): "unknown \(number) \(moment)"
        case .snapshot(let version, let hash): "snapshot \(version) \(hash)"
        case .element(let version, let hash): "element \(version) \(hash)"
        case .refresh(let begun, let version): "refresh \(begun) \(version)"
        case .entry(let version, let number, let seen, let hash):
            "entry \(version) \(number) \(seen) \(hash)"
        case .newest(let version, let hash): "newest \(version) \(hash)"
        case .diverged: "diverged"
        case .erred: "erred"
        case .problem(let text): "problem \(text)"
        }
    }

    package init(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        let values = words.dropFirst().compactMap { Int64($0) }
        func version(_ index: Int) -> Version { Version(UInt64(values[index])) }
        switch (words.first.map { String($0) } ?? "", values.count) {
        case ("begun", 2): self = .begun(number: values[0], moment: Int(values[1]))
        case ("acknowledged", 3):
            self = .acknowledged(number: values[0], moment: Int(values[1]), version(2))
        case ("refused", 2): self = .refused(number: values[0], moment: Int(values[1]))
        case ("unknown", 2): self = .unknown(number: values[0], moment: Int(values[1]))
        case ("snapshot", 2): self = .snapshot(version(0), hash: values[1])
        case ("element", 2): self = .element(version(0), hash: values[1])
        case ("refresh", 2): self = .refresh(begun: Int(values[0]), version(1))
        case ("entry", 4):
            self = .entry(version(0), number: values[1], seen: values[2], hash: values[3])
        case ("newest", 2): self = .newest(version(0), hash: values[1])
        case ("diverged", 0): self = .diverged
        case ("erred", 0): self = .erred
        // Any other output of a process that ends.
        default: self = .problem(String(line))
        }
    }
}
