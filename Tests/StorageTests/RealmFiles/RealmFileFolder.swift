import Foundation

/// Files written by Realm, and their expected contents.
struct RealmFileFolder: Sendable {
    let url: URL

    /// The small files, which are part of the repository.
    static let own = RealmFileFolder(
        url: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Files"))

    /// All files, if they exist beside the repository.
    static let shared: RealmFileFolder? = {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../shared/data/realm-files").standardizedFileURL
        let manifest = url.appendingPathComponent("manifest.json").path
        return FileManager.default.fileExists(atPath: manifest) ? RealmFileFolder(url: url) : nil
    }()

    /// The files to test with: all of them, or those of the repository.
    static let current = shared ?? own

    /// The key of all encrypted files.
    static let key = (0..<64).map { UInt8(truncatingIfNeeded: 3 * $0 + 7) }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url.appendingPathComponent(name)))
    }

    func decode<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(
            type, from: try Data(contentsOf: url.appendingPathComponent(name)))
    }

    /// The names of the files with expected contents, without extension.
    var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return all.filter { $0.hasSuffix(".realm") && $0 != "encrypted-torn.realm" }
            .map { String($0.dropLast(6)) }.sorted()
    }

    /// The name of the file with the expected contents of another.
    static func contents(of name: String) -> String {
        switch name {
        case "streaming": "every-type"
        case "encrypted-interrupted": "encrypted"
        case "streaming-encrypted": "small"
        default: name
        }
    }

    static func isEncrypted(_ name: String) -> Bool { name.contains("encrypted") }
}
