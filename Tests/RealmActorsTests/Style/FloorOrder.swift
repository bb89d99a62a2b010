import Foundation
import Testing

/// The floors of a module, each a folder: a file names types of its own floor and of those below.
struct FloorOrder: Sendable, CustomTestStringConvertible {
    /// The folder of the module.
    let module: String
    /// The lowest first.
    let floors: [String]

    var testDescription: String { module }

    struct Reference: CustomStringConvertible {
        let file: SourceFile
        let line: Int
        let type: String
        let floor: String

        var name: String { "\((file.path as NSString).lastPathComponent) names \(type)" }
        var description: String {
            "\(file.path):\(line) names \(type) of floor \(floor), which is above it"
        }
    }

    /// Every reference to a type of a floor above.
    func referencesUpwards(in files: [SourceFile]) -> [Reference] {
        let files = files.filter { $0.path.hasPrefix(module + "/") }
        let owners = owners(files)
        var found: [Reference] = []
        for file in files {
            guard let floor = floor(of: file) else { continue }
            for line in file.lines {
                for type in Self.names(in: line.code) {
                    guard let owner = owners[type], owner > floor else { continue }
                    found.append(
                        Reference(file: file, line: line.number, type: type, floor: floors[owner]))
                }
            }
        }
        return found
    }

    /// Files that stand on no floor.
    func strays(in files: [SourceFile]) -> [SourceFile] {
        files.filter { $0.path.hasPrefix(module + "/") && floor(of: $0) == nil }
    }

    private func floor(of file: SourceFile) -> Int? {
        let rest = file.path.dropFirst(module.count + 1)
        return rest.split(separator: "/").first.flatMap { floors.firstIndex(of: String($0)) }
    }

    /// The floor of each type that stands at the top of a file. What is declared on several floors
    /// counts for none.
    private func owners(_ files: [SourceFile]) -> [String: Int] {
        var owners: [String: Int] = [:]
        var several: Set<String> = []
        for file in files {
            guard let floor = floor(of: file) else { continue }
            for line in file.lines where line.indentation < 4 {
                guard let name = Self.declaration(in: line.code) else { continue }
                if let other = owners[name], other != floor { several.insert(name) }
                owners[name] = floor
            }
        }
        return owners.filter { !several.contains($0.key) }
    }

    private static let keywords: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "typealias",
    ]

    private static func declaration(in code: String) -> String? {
        let words = words(of: code[...])
        guard let index = words.firstIndex(where: { keywords.contains(String($0)) }),
            index + 1 < words.count, isCapitalized(words[index + 1])
        else { return nil }
        return String(words[index + 1])
    }

    private static func names(in code: String) -> [String] {
        // What stands in a literal names nothing.
        let parts = code.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset % 2 == 0 }.flatMap { part in
            words(of: part.element).filter(isCapitalized).map(String.init)
        }
    }

    /// Sources are ASCII.
    private static func words(of code: Substring) -> [Substring] {
        code.utf8.split { !isPartOfName($0) }.map { Substring($0) }
    }

    private static func isCapitalized(_ word: Substring) -> Bool {
        word.utf8.first.map { (0x41...0x5A).contains($0) } ?? false
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x41...0x5A).contains(byte & ~0x20)
    }
}

extension FloorOrder {
    static let all = [storage, realmActors, queryEngine, watching]

    static let storage = FloorOrder(
        module: "Sources/Storage",
        floors: ["IO", "RealmFiles", "SharedLogs", "Nodes", "Trees", "Journal", "Store"])
}
