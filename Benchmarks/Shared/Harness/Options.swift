import Foundation

/// What the command line asks for.
struct Options: Sendable {
    /// How the results are printed.
    enum Format: String, Sendable {
        case table, tsv, json
    }

    /// A command line that makes no sense.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    static let help = """
          --filter NAMES  run the workloads with a row whose name contains one of NAMES,
                          separated by commas
          --objects N     the number of persons in the data set (1000000)
          --path DIR      the folder of the databases (a temporary directory)
          --repeat K      run each workload K times and print medians
          --seconds S     the duration of workloads that count commits, in seconds (3)
          --format F      the output format: table, tsv or json
        """

    var filter: [String] = []
    var objects = Dataset.standardCount
    var format = Format.table
    var path: URL?
    var repetitions = 1
    var seconds = 3.0
    var wantsHelp = false
    /// What was given for the options that only this program has.
    private(set) var others: [String: String] = [:]

    /// - Parameter known: the options that this program has beside the common ones.
    init(_ words: some Sequence<String>, also known: Set<String>) throws(Problem) {
        var words = words.makeIterator()
        while let option = words.next() {
            if option == "--help" || option == "-h" {
                wantsHelp = true
                return
            }
            guard let value = words.next() else {
                throw Problem(description: "\(option) needs a value.")
            }
            if known.contains(option) {
                others[option] = value
            } else {
                try set(option, to: value)
            }
        }
    }

    /// A new folder for databases.
    func makeFolder() throws -> URL {
        let parent = path ?? FileManager.default.temporaryDirectory
        let folder = parent.appendingPathComponent("benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private mutating func set(_ option: String, to value: String) throws(Problem) {
        switch option {
        case "--filter": filter = value.split(separator: ",").map(String.init)
        case "--objects": objects = try Self.count(option, value)
        case "--format":
            guard let known = Format(rawValue: value) else {
                throw Problem(description: "Unknown format '\(value)'.")
            }
            format = known
        case "--path": path = URL(fileURLWithPath: value, isDirectory: true)
        case "--repeat": repetitions = try Self.count(option, value)
        case "--seconds":
            guard let number = Double(value), number > 0 else {
                throw Problem(description: "--seconds needs a number above zero.")
            }
            seconds = number
        default: throw Problem(description: "Unknown option '\(option)'.")
        }
    }

    private static func count(_ option: String, _ value: String) throws(Problem) -> Int {
        guard let number = Int(value), number > 0 else {
            throw Problem(description: "\(option) needs a whole number above zero.")
        }
        return number
    }
}
