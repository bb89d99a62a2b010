import Foundation
import Storage
import Synchronization

extension CodingUserInfoKey {
    /// Where a decoder finds the ``DecimalTexts`` of what it decodes.
    static let decimalTexts = CodingUserInfoKey(rawValue: "RealmActors.decimalTexts")
        .unsafelyUnwrapped
}

/// The numbers of a JSON text as they are written. Decoders return types of Foundation, which lose
/// digits and exponents of a ``Decimal128``, and accept 2.0 as an integer.
///
/// The text is scanned once, when the first such number is needed.
final class DecimalTexts: Sendable {
    /// Numbers by their paths.
    private struct Found {
        /// Numbers that Foundation may not represent exactly. Two with the same path are dropped.
        var texts: [String: String] = [:]
        /// Numbers that may be whole but are not written as integers.
        var reals: Set<String> = []
    }

    private let json: Data
    /// Whether the decoder's key strategy keeps names.
    private let keepsNames: Bool
    private let known = Mutex<Found?>(nil)

    private init(_ json: Data, keepsNames: Bool) {
        self.json = json
        self.keepsNames = keepsNames
    }

    /// A copy of `decoder` that gives decimal numbers access to the text. `decoder` is not changed,
    /// because others may be using it.
    static func decoder(for json: Data, like decoder: JSONDecoder) -> JSONDecoder {
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5 else { return decoder }
        let copy = JSONDecoder()
        copy.dateDecodingStrategy = decoder.dateDecodingStrategy
        copy.dataDecodingStrategy = decoder.dataDecodingStrategy
        copy.nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
        copy.keyDecodingStrategy = decoder.keyDecodingStrategy
        copy.assumesTopLevelDictionary = decoder.assumesTopLevelDictionary
        copy.userInfo = decoder.userInfo
        var keepsNames = false
        if case .useDefaultKeys = decoder.keyDecodingStrategy { keepsNames = true }
        copy.userInfo[.decimalTexts] = DecimalTexts(json, keepsNames: keepsNames)
        return copy
    }

    /// The text of the number at a path of the JSON; nil if there is none.
    func text(at path: [any CodingKey]) -> String? {
        let texts = found().texts
        if texts.isEmpty { return nil }
        return texts[place(path)].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the number at a path of the JSON, which a decoder accepts as an integer, is written
    /// with a fraction or an exponent.
    func isReal(at path: [any CodingKey]) -> Bool {
        let reals = found().reals
        return !reals.isEmpty && reals.contains(place(path))
    }

    private func place(_ path: [any CodingKey]) -> String {
        path.map { key -> String in
            // Decoders of dictionaries give an `intValue` to names like "05" and "5", the same for
            // both. For a position in an array the name is not a number.
            guard let index = key.intValue, Int(key.stringValue) == nil else {
                return step(key.stringValue)
            }
            return "\(index)"
        }.joined(separator: "\u{0}")
    }

    /// The step of a path that a name is, as the strategy for keys leaves it: all but the default
    /// one may change case and underscores.
    private func step(_ name: String) -> String {
        keepsNames ? name : String(name.lowercased().filter { $0 != "_" })
    }

    private func found() -> Found {
        known.withLock { known in
            if let known { return known }
            let found = scanned()
            known = found
            return found
        }
    }

    private func scanned() -> Found {
        var found = Found()
        var scanner = NumberScanner(json)
        while let (path, number) = scanner.next() {
            let place = path.map { part in
                switch part {
                case .index(let index): "\(index)"
                case .name(let name): step(name)
                }
            }.joined(separator: "\u{0}")
            if number.isLong {
                found.texts[place] = found.texts[place] == nil ? number.text : ""
            }
            if number.mayBeWhole { found.reals.insert(place) }
        }
        return found
    }
}

/// Scans a JSON text for long numbers, and for whole ones that are not written as integers. It
/// expects valid JSON, which the decoder has checked; at an error it stops.
private struct NumberScanner {
    struct Number {
        let text: String
        /// Whether it may have more digits than Foundation's decimal numbers.
        let isLong: Bool
        /// Whether it may be whole but is not written as an integer.
        let mayBeWhole: Bool
    }

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

    mutating func next() -> (path: [Step], number: Number)? {
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

    /// The string that begins here, after its quotation mark.
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

    /// The number at `start`, if it is long or may be whole.
    private mutating func number(from start: Int) -> Number? {
        var (hasPower, hasPoint, hasFraction) = (false, false, false)
        scan: while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "e"), UInt8(ascii: "E"): hasPower = true
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "1")...UInt8(ascii: "9"): hasFraction = hasFraction || hasPoint
            case UInt8(ascii: "0"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
            default: break scan
            }
            position += 1
        }
        let isLong = hasPower || position - start > Self.shortMax
        let mayBeWhole = hasPower || hasPoint && !hasFraction
        guard isLong || mayBeWhole else { return nil }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return Number(text: text, isLong: isLong, mayBeWhole: mayBeWhole)
    }
}
