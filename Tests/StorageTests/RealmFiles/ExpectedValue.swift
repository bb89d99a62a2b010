import Foundation
import Storage

@testable import Storage

/// Compares a value with the one that Realm read.
struct ExpectedValue {
    let file: RealmFile

    /// Whether the value equals the JSON, bit for bit.
    func matches(_ value: WholeValue, _ json: JSONValue) -> Bool {
        switch value {
        case .single(let single): matches(single, json)
        case .list(let all): matches("$list", value, all, json)
        case .set(let all): matches("$set", value, all, json)
        case .dictionary(let entries): matches(value, entries, json)
        }
    }

    private func matches(_ value: RealmFileValue, _ json: JSONValue) -> Bool {
        switch value {
        case .null: json == .null
        case .int(let number): json["$int"]?.text == "\(number)"
        case .bool(let flag): json == .bool(flag)
        case .float(let bits): json["$float"]?.text == hex(bits)
        case .double(let bits): json["$double"]?.text == hex(bits)
        case .string(let text):
            json.text == text || matches(digest: "$stringDigest", Array(text.utf8), json)
        case .malformedString(let bytes):
            json["$stringBytes"]?.text == Data(bytes).base64EncodedString()
                || matches(digest: "$stringDigest", bytes, json)
        case .data(let bytes):
            json["$data"]?.text == Data(bytes).base64EncodedString()
                || matches(digest: "$dataDigest", bytes, json)
        case .date(let date):
            json["$date"]?["seconds"]?.text == "\(date.seconds)"
                && json["$date"]?["nanoseconds"] == .number(Double(date.nanoseconds))
        case .decimal(let decimal): json["bits"]?.text == hex(decimal.high) + hex(decimal.low)
        case .objectID(let id): json["$objectId"]?.text == hex(id.bytes)
        case .uuid(let uuid):
            json["$uuid"]?.text?.filter { $0 != "-" } == hex(uuid.bytes)
        case .link(let link):
            json["$link"]?["key"]?.text == "\(link.key)"
                && json["$link"]?["class"]?.text == file.class(link.table)?.name
        case .collection: false
        }
    }

    private func matches(digest: String, _ bytes: [UInt8], _ json: JSONValue) -> Bool {
        json[digest]?["bytes"] == .number(Double(bytes.count))
            && json[digest]?["sha256"]?.text == hex(SHA2.digest(.sha256, of: bytes))
    }

    private func matches(
        _ tag: String, _ value: WholeValue, _ all: [WholeValue], _ json: JSONValue
    ) -> Bool {
        guard let elements = json[tag]?.elements else {
            return matches(digestOf: value, count: all.count, json[tag + "Digest"])
        }
        guard elements.count == all.count else { return false }
        if tag == "$list" { return zip(all, elements).allSatisfy { matches($0, $1) } }
        // Each element of a set equals exactly one expected element.
        var rest = elements
        return all.allSatisfy { value in
            guard let index = rest.firstIndex(where: { matches(value, $0) }) else { return false }
            rest.remove(at: index)
            return true
        }
    }

    private func matches(
        _ value: WholeValue, _ entries: [(key: [UInt8], value: WholeValue)], _ json: JSONValue
    ) -> Bool {
        guard let expected = json["$dictionary"]?.elements else {
            return matches(digestOf: value, count: entries.count, json["$dictionaryDigest"])
        }
        guard expected.count == entries.count else { return false }
        return zip(entries, expected).allSatisfy { entry, pair in
            guard let pair = pair.elements, pair.count == 2 else { return false }
            return pair[0].text.map { Array($0.utf8) } == entry.key
                && matches(entry.value, pair[1])
        }
    }

    private func matches(
        digestOf value: WholeValue, count: Int, _ json: JSONValue?
    ) -> Bool {
        guard let json, json["count"] == .number(Double(count)) else { return false }
        var canonical = CanonicalBytes(file)
        canonical.append(value)
        return json["sha256"]?.text == hex(SHA2.digest(.sha256, of: canonical.bytes))
    }
}

func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
}

private func hex(_ number: some FixedWidthInteger) -> String {
    hex(
        stride(from: number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        })
}
