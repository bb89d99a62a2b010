import Foundation
import Storage
import Synchronization

extension CodingUserInfoKey {
    /// Where a decoder finds the ``DecimalTexts`` of what it decodes.
    static let decimalTexts = CodingUserInfoKey(rawValue: "RealmActors.decimalTexts")
        .unsafelyUnwrapped
}

/// The numbers of a JSON text as they stand there. Decoders give numbers as types of Foundation,
/// none of which has every digit and every power of ten of a decimal number.
///
/// The text is gone through once, when the first such number is asked for.
final class DecimalTexts: Sendable {
    private let json: Data
    private let known = Mutex<[String: String]?>(nil)

    private init(_ json: Data) { self.json = json }

    /// A decoder as `decoder` is, whose decimal numbers find their texts. The given one is left as
    /// it is, since others may use it meanwhile.
    static func decoder(for json: Data, like decoder: JSONDecoder) -> JSONDecoder {
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5 else { return decoder }
        let copy = JSONDecoder()
        copy.dateDecodingStrategy = decoder.dateDecodingStrategy
        copy.dataDecodingStrategy = decoder.dataDecodingStrategy
        copy.nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
        copy.keyDecodingStrategy = decoder.keyDecodingStrategy
        copy.assumesTopLevelDictionary = decoder.assumesTopLevelDictionary
        copy.userInfo = decoder.userInfo
        copy.userInfo[.decimalTexts] = DecimalTexts(json)
        return copy
    }

    /// The number at a path of the JSON; nil when none is found there.
    func text(at path: [any CodingKey]) -> String? {
        known.withLock { known in
            let texts = known ?? Self.texts(in: json)
            known = texts
            if texts.isEmpty { return nil }
            let place = path.map { key in
                key.intValue.map { "[\($0)]" } ?? Self.normalized(key.stringValue)
            }.joined(separator: "\u{0}")
            return texts[place].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// A name as every strategy for keys leaves it: those change case and underscores.
    private static func normalized(_ name: String) -> String {
        String(name.lowercased().filter { $0 != "_" })
    }

    /// The numbers that Foundation may not have exactly, by their paths. Two at one path, as far as
    /// names tell, are none.
    private static func texts(in json: Data) -> [String: String] {
        var texts: [String: String] = [:]
        var scanner = NumberScanner(json)
        while let (path, number) = scanner.next() {
            let place = path.map { step in
                switch step {
                case .index(let index): "[\(index)]"
                case .name(let name): normalized(name)
                }
            }.joined(separator: "\u{0}")
            texts[place] = texts[place] == nil ? number : ""
        }
        return texts
    }
}

/// Goes through a JSON text for its long numbers. It expects sound JSON, which is what a decoder
/// has made of it before; of any other it finds no more numbers.
private struct NumberScanner {
    enum Step {
        case index(Int)
        case name(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var path: [Step] = []
    /// Whether the next text is the name of an entry.
    private var expectsName = false

    /// Shorter ones without a power of ten have no more digits than Foundation's decimal numbers.
    private static let shortMax = 36

    init(_ json: Data) { bytes = [UInt8](json) }

    mutating func next() -> (path: [Step], number: String)? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"):
                path.append(.name(""))
                expectsName = true
            case UInt8(ascii: "["): path.append(.index(0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard path.popLast() != nil else { return nil }
                expectsName = false
            case UInt8(ascii: ","):
                switch path.last {
                case .index(let index)?: path[path.count - 1] = .index(index + 1)
                case .name?: expectsName = true
                case nil: return nil
                }
            case UInt8(ascii: "\""):
                guard let text = text() else { return nil }
                guard expectsName, !path.isEmpty else { continue }
                path[path.count - 1] = .name(text)
                expectsName = false
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let number = number(from: position - 1) { return (path, number) }
            default: continue
            }
        }
        return nil
    }

    /// The text that begins here, behind its quotation mark.
    private mutating func text() -> String? {
        let start = position
        var hasEscapes = false
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
            position += 1
        }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        guard hasEscapes, expectsName else {
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        return try? JSONDecoder().decode(String.self, from: Data(bytes[start - 1...position]))
    }

    /// The number from `start` on, when it is a long one.
    private mutating func number(from start: Int) -> String? {
        var hasPower = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "e"), UInt8(ascii: "E"): hasPower = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "+"):
                break
            default:
                return isLong(start, hasPower)
            }
            position += 1
        }
        return isLong(start, hasPower)
    }

    private func isLong(_ start: Int, _ hasPower: Bool) -> String? {
        guard hasPower || position - start > Self.shortMax else { return nil }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }
}
