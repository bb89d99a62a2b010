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

          --data DIR   read airlines.csv, airports.csv, planes.csv, flights.csv and, when it is
                       there, weather.csv from DIR, instead of the flights of January 2013
          --path DIR   keep the database in DIR, instead of a temporary directory
          --realm-file FILE
                       import a file that Realm wrote, instead of the flights, and show what is
                       in it
          --key-file FILE
                       the 64 bytes that the file of Realm is encrypted with
          --hosts N    have N processes, with a folder each, write one realm, whose log is in the
                       PostgreSQL that CONNECTION says
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
                throw Problem(description: "There is no option \"\(word)\".")
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
            throw Problem(description: "\(option) needs a number, 1 or more.")
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
            throw Problem(description: "\(keyFile.path) cannot be read.")
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
