import Foundation
import Storage

/// Reads the literals of a query string that are neither numbers nor strings:
///
///     uuid(3b241101-e2bb-4255-8caf-4136c566a962)   oid(507f1f77bcf86cd799439011)
///     b64"AQID"   2020-02-29@12:30:00   T1582979400:500
struct QueryLiteral {
    enum Reading {
        case value(StoredValue)
        /// It begins as one and is not one, for the reason of the message.
        case invalid(String)
    }

    private let scalars: [Unicode.Scalar]
    private(set) var position: Int

    init(_ scalars: [Unicode.Scalar], at position: Int) {
        (self.scalars, self.position) = (scalars, position)
    }

    /// Takes the value that begins here; nil, and nothing is taken, where there is none.
    mutating func read() -> Reading? {
        let start = position
        if accept("uuid(") {
            guard let id = text(before: ")").flatMap({ UUID(canonical: $0) }) else {
                return .invalid(
                    "This is not a UUID, such as uuid(3b241101-e2bb-4255-8caf-4136c566a962).")
            }
            return .value(.uuid(id))
        }
        if accept("oid(") {
            guard let id = text(before: ")").flatMap({ ObjectId($0) }) else {
                return .invalid("This is not an ObjectId, such as oid(507f1f77bcf86cd799439011).")
            }
            return .value(.objectID(id.bits))
        }
        for quote in ["\"", "'"] where accept("b64\(quote)") {
            guard let bytes = text(before: quote).flatMap({ Data(base64Encoded: $0) }) else {
                return .invalid("These are not bytes in Base64, such as B64\"AQID\".")
            }
            return .value(.data(bytes))
        }
        if let reading = timestamp() { return reading }
        position = start
        if let reading = date() { return reading }
        position = start
        return nil
    }

    /// `T1582979400:500`: seconds since 1970 and nanoseconds, of the same sign.
    private mutating func timestamp() -> Reading? {
        guard accept("t"), let seconds = signedInteger(), accept(":"),
            let nanoseconds = signedInteger()
        else { return nil }
        guard abs(nanoseconds) < 1_000_000_000,
            seconds == 0 || seconds.signum() != -nanoseconds.signum()
        else {
            return .invalid(
                "The seconds of a timestamp are followed by its nanoseconds, with the same sign.")
        }
        return .value(Self.date(seconds - Self.between1970And2001, nanoseconds))
    }

    /// `2020-02-29@12:30:00`, in UTC; a `T` may replace the at sign, and nanoseconds may follow.
    private mutating func date() -> Reading? {
        guard let year = integer(), accept("-"), let month = integer(), accept("-"),
            let day = integer(), accept("@") || accept("t"), let hour = integer(), accept(":"),
            let minute = integer(), accept(":"), let second = integer()
        else { return nil }
        let fraction = accept(":") ? integer() : 0
        guard let nanoseconds = fraction, nanoseconds < 1_000_000_000,
            let seconds = DatePart.seconds(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return .invalid("The date does not exist.") }
        // In Realm's language the nanoseconds have the sign of the seconds since 1970.
        let isBefore1970 = seconds + Self.between1970And2001 < 0
        return .value(Self.date(seconds, isBefore1970 ? -nanoseconds : nanoseconds))
    }

    private static let between1970And2001 = Int64(Date.timeIntervalBetween1970AndReferenceDate)

    private static func date(_ seconds: Int64, _ nanoseconds: Int64) -> StoredValue {
        .date(Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }
}

// Scalars.
extension QueryLiteral {
    /// Consumes `word`, which is in lower case, in any case.
    private mutating func accept(_ word: String) -> Bool {
        var end = position
        for wanted in word.unicodeScalars {
            guard end < scalars.count else { return false }
            let scalar = scalars[end]
            guard scalar == wanted || scalar.properties.lowercaseMapping == String(wanted) else {
                return false
            }
            end += 1
        }
        position = end
        return true
    }

    /// Takes what is before a sign, and the sign.
    private mutating func text(before sign: String) -> String? {
        guard let end = scalars[position...].firstIndex(where: { String($0) == sign }) else {
            return nil
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[position..<end])
        position = end + 1
        return String(text)
    }

    private mutating func signedInteger() -> Int64? {
        if accept("-") { return integer().map { -$0 } }
        _ = accept("+")
        return integer()
    }

    private mutating func integer() -> Int64? {
        var digits = ""
        while position < scalars.count, scalars[position].value &- 0x30 < 10, digits.count < 18 {
            digits.unicodeScalars.append(scalars[position])
            position += 1
        }
        return Int64(digits)
    }
}
