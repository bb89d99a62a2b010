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
        usage: benchmarks [--filter NAME] [--objects N] [--format table|tsv|json] [--path DIR]
                          [--repeat K] [--flights DIR] [--seconds S]

          --filter NAME   run the workloads that print a row whose name contains NAME
          --objects N     persons in the data set (1000000)
          --path DIR      where the databases are made (a temporary directory)
          --repeat K      run each workload K times and print medians
          --flights DIR   the files of w16_flights
          --seconds S     how long a workload that counts commits runs (3)
        """

    var filter = ""
    var objects = Dataset.standardCount
    var format = Format.table
    var path: URL?
    var repetitions = 1
    var flights = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/data/nycflights13").standardizedFileURL
    var seconds = 3.0
    var wantsHelp = false

    init(_ words: some Sequence<String>) throws(Problem) {
        var words = words.makeIterator()
        while let option = words.next() {
            if option == "--help" || option == "-h" {
                wantsHelp = true
                return
            }
            guard let value = words.next() else {
                throw Problem(description: "\(option) needs a value.")
            }
            try set(option, to: value)
        }
    }

    private mutating func set(_ option: String, to value: String) throws(Problem) {
        switch option {
        case "--filter": filter = value
        case "--objects": objects = try Self.count(option, value)
        case "--format":
            guard let known = Format(rawValue: value) else {
                throw Problem(description: "There is no format \"\(value)\".")
            }
            format = known
        case "--path": path = URL(fileURLWithPath: value, isDirectory: true)
        case "--repeat": repetitions = try Self.count(option, value)
        case "--flights": flights = URL(fileURLWithPath: value, isDirectory: true)
        case "--seconds":
            guard let number = Double(value), number > 0 else {
                throw Problem(description: "--seconds needs a number above zero.")
            }
            seconds = number
        default: throw Problem(description: "There is no option \"\(option)\".")
        }
    }

    private static func count(_ option: String, _ value: String) throws(Problem) -> Int {
        guard let number = Int(value), number > 0 else {
            throw Problem(description: "\(option) needs a whole number above zero.")
        }
        return number
    }
}
