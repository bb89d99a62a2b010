import Foundation

/// What the command line asks for.
struct Arguments {
    /// A command line that makes no sense.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    static let help = """
        usage: quickstart [--data DIR] [--path DIR]

          --data DIR   read airlines.csv, airports.csv, planes.csv, flights.csv and, when it is
                       there, weather.csv from DIR, instead of the flights of January 2013
          --path DIR   keep the database in DIR/flights.realm, instead of a temporary directory
        """

    /// The flights of January 2013, which come with the package.
    static let bundledData = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Data", isDirectory: true)

    private(set) var data = bundledData
    private(set) var path: URL?
    private(set) var wantsHelp = false

    init(_ words: some Sequence<String>) throws(Problem) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--data":
                data = try Self.folder(after: word, words.next())
            case "--path":
                path = try Self.folder(after: word, words.next())
            case "--help", "-h":
                wantsHelp = true
            default:
                throw Problem(description: "There is no option \"\(word)\".")
            }
        }
    }

    private static func folder(after option: String, _ word: String?) throws(Problem) -> URL {
        guard let word else { throw Problem(description: "\(option) needs a folder.") }
        return URL(fileURLWithPath: word, isDirectory: true)
    }
}
