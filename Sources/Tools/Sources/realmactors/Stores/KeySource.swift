import Foundation
import RealmActors

/// What a key is read from.
enum KeySource {
    case file(String)
    case environment(String)
    case standardInput

    func key() throws -> EncryptionKey {
        switch self {
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ToolError(.badKey, "The key file '\(path)' cannot be read.")
            }
            if data.count == EncryptionKey.byteCount { return try EncryptionKey(data) }
            return try Self.parse(String(decoding: data, as: UTF8.self), "The file '\(path)'")
        case .environment(let name):
            guard let text = ProcessInfo.processInfo.environment[name] else {
                throw ToolError(.badKey, "The environment variable '\(name)' is not set.")
            }
            return try Self.parse(text, "The environment variable '\(name)'")
        case .standardInput:
            return try Self.parse(readLine() ?? "", "The first line of standard input")
        }
    }

    private static func parse(_ text: String, _ source: String) throws -> EncryptionKey {
        let characters = text.filter { !$0.isWhitespace }
        let digits = characters.compactMap(\.hexDigitValue)
        guard digits.count == 2 * EncryptionKey.byteCount, digits.count == characters.count else {
            throw ToolError(
                .badKey,
                "\(source) has no key. Give \(2 * EncryptionKey.byteCount) hexadecimal digits, or "
                    + "in a file \(EncryptionKey.byteCount) bytes.")
        }
        return try EncryptionKey(
            stride(from: 0, to: digits.count, by: 2).map {
                UInt8(digits[$0] << 4 | digits[$0 + 1])
            })
    }
}
