import Foundation

/// What the command line asks for.
struct Arguments {
    /// A command line that makes no sense.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    static let help = """
        usage: quickstart [--data DIR] [--path DIR]
               quickstart --realm-file FILE [--key-file FILE] [--path DIR]
               quickstart --hosts N --postgres CONNECTION

          --data DIR   read airlines.csv, airports.csv, planes.csv, flights.csv and, if it
                       exists, weather.csv from DIR, instead of the flights of January 2013
          --path DIR   keep the database in DIR, instead of a temporary directory
          --realm-file FILE
                       import a .realm file of Realm instead of the flights, and show its
                       contents
          --key-file FILE
                       a file with the 64-byte key of the .realm file
          --hosts N    let N processes, each with its own folder, write one realm with its log
                       in the PostgreSQL database of CONNECTION
        """

    /// The flights of January 2013, which come with the package.
    static let bundledData = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("Data", isDirectory: true)

    private(set) var data = bundledData
    private(set) var path: URL?
    private(set) var wantsHelp = false
    private(set) var realmFile: RealmFileTour?
    private(set) var hosts: SeveralHosts?
    /// Which of the hosts this process is to be, and of which realm.
    private(set) var host: (number: Int, realm: String)?

    init(_ words: some Sequence<String>) throws(Problem) {
        var words = words.makeIterator()
        var (count, connection): (Int?, String?) = (nil, nil)
        var (number, realm): (Int?, String?) = (nil, nil)
        var (file, keyFile): (URL?, URL?) = (nil, nil)
        while let word = words.next() {
            switch word {
            case "--data":
                data = try Self.folder(after: word, words.next())
            case "--path":
                path = try Self.folder(after: word, words.next())
            case "--realm-file": file = try Self.file(after: word, words.next())
            case "--key-file": keyFile = try Self.file(after: word, words.next())
            case "--hosts": count = try Self.number(after: word, words.next())
            case "--host": number = try Self.number(after: word, words.next())
            case "--postgres": connection = words.next()
            case "--realm": realm = words.next()
            case "--help", "-h":
                wantsHelp = true
            default:
                throw Problem(description: "Unknown option '\(word)'.")
            }
        }
        realmFile = try Self.realmFile(file, keyFile: keyFile)
        guard let count else { return }
        guard let connection else {
            throw Problem(description: "--hosts needs --postgres, with a connection string.")
        }
        hosts = SeveralHosts(count: count, connection: connection)
        if let number, let realm { host = (number, realm) }
    }

    private static func number(after option: String, _ word: String?) throws(Problem) -> Int {
        guard let number = word.flatMap({ Int($0) }), number > 0 else {
            throw Problem(description: "\(option) needs a whole number above zero.")
        }
        return number
    }

    private static func realmFile(
        _ file: URL?, keyFile: URL?
    ) throws(Problem) -> RealmFileTour? {
        guard let file else {
            if keyFile == nil { return nil }
            throw Problem(description: "--key-file needs --realm-file.")
        }
        guard let keyFile else { return RealmFileTour(file: file, key: nil) }
        guard let key = try? Data(contentsOf: keyFile) else {
            throw Problem(description: "The key file '\(keyFile.path)' cannot be read.")
        }
        return RealmFileTour(file: file, key: key)
    }

    private static func file(after option: String, _ word: String?) throws(Problem) -> URL {
        guard let word else { throw Problem(description: "\(option) needs a file.") }
        return URL(fileURLWithPath: word)
    }

    private static func folder(after option: String, _ word: String?) throws(Problem) -> URL {
        guard let word else { throw Problem(description: "\(option) needs a folder.") }
        return URL(fileURLWithPath: word, isDirectory: true)
    }
}
