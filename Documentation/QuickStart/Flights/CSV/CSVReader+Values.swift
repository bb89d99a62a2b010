package import Foundation

/// The fields of the current row as values. `NA` and an empty field are nil.
extension CSVReader {
    /// True when the field holds no value.
    package func isMissing(_ column: CSVColumn) -> Bool {
        let field = fields[column.index]
        if field.start == field.end { return true }
        return field.end - field.start == 2 && bytes[field.start] == UInt8(ascii: "N")
            && bytes[field.start + 1] == UInt8(ascii: "A")
    }

    package func integer(_ column: CSVColumn) throws(CSVError) -> Int {
        guard let value = try optionalInteger(column) else { throw missing(column) }
        return value
    }

    package func optionalInteger(_ column: CSVColumn) throws(CSVError) -> Int? {
        if isMissing(column) { return nil }
        let field = fields[column.index]
        let isNegative = bytes[field.start] == UInt8(ascii: "-")
        let first = isNegative ? field.start + 1 : field.start
        guard let magnitude = digits(from: first, to: field.end) else {
            throw unexpected(column, "a whole number")
        }
        return isNegative ? -magnitude : magnitude
    }

    package func double(_ column: CSVColumn) throws(CSVError) -> Double {
        guard let value = try optionalDouble(column) else { throw missing(column) }
        return value
    }

    package func optionalDouble(_ column: CSVColumn) throws(CSVError) -> Double? {
        if isMissing(column) { return nil }
        guard let value = Double(try text(column)), value.isFinite else {
            throw unexpected(column, "a number")
        }
        return value
    }

    package func text(_ column: CSVColumn) throws(CSVError) -> String {
        let field = fields[column.index]
        // Unsafe: lent for the call; the slice is checked.
        let found = bytes.withUnsafeBufferPointer { bytes in
            let slice = UnsafeBufferPointer(rebasing: bytes[field.start..<field.end])
            // Most text is ASCII, of which nothing has to be proven.
            if slice.allSatisfy({ $0 < 0x80 }) {
                return String?(String(decoding: slice, as: UTF8.self))
            }
            return String(validating: slice, as: UTF8.self)
        }
        guard let text = found else {
            throw failure("column \(column.name): the text is not UTF-8")
        }
        guard field.hasDoubledQuotes else { return text }
        return text.replacingOccurrences(of: "\"\"", with: "\"")
    }

    package func optionalText(_ column: CSVColumn) throws(CSVError) -> String? {
        isMissing(column) ? nil : try text(column)
    }

    /// A short code such as a carrier or an airport, ready to be looked up.
    package func code(_ column: CSVColumn) throws(CSVError) -> Code {
        guard let code = try optionalCode(column) else { throw missing(column) }
        return code
    }

    package func optionalCode(_ column: CSVColumn) throws(CSVError) -> Code? {
        if isMissing(column) { return nil }
        let field = fields[column.index]
        guard let code = Code(bytes, in: field.start..<field.end) else {
            throw unexpected(column, "a code of at most \(Code.maximumLength) bytes")
        }
        return code
    }

    /// A moment written as `2013-01-01T10:00:00Z`.
    package func moment(_ column: CSVColumn) throws(CSVError) -> Date {
        let field = fields[column.index]
        guard let seconds = secondsSince1970(field) else {
            throw unexpected(column, "a moment such as 2013-01-01T10:00:00Z")
        }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private func secondsSince1970(_ field: CSVField) -> Int? {
        let start = field.start
        guard field.end - start == 20, bytes[start + 4] == UInt8(ascii: "-"),
            bytes[start + 7] == UInt8(ascii: "-"), bytes[start + 10] == UInt8(ascii: "T"),
            bytes[start + 13] == UInt8(ascii: ":"), bytes[start + 16] == UInt8(ascii: ":"),
            bytes[start + 19] == UInt8(ascii: "Z"),
            let year = digits(from: start, to: start + 4),
            let month = digits(from: start + 5, to: start + 7),
            let day = digits(from: start + 8, to: start + 10),
            let hour = digits(from: start + 11, to: start + 13),
            let minute = digits(from: start + 14, to: start + 16),
            let second = digits(from: start + 17, to: start + 19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    /// Days between 1 January 1970 and a day of the Gregorian calendar. The year is counted from
    /// March, so that the leap day comes last.
    private func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let daysToYear = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400
        return daysToYear + dayOfYear - 719_468
    }

    /// The number that the digits between two positions spell; nil when something else is there
    /// or it does not fit.
    private func digits(from start: Int, to end: Int) -> Int? {
        // 18 digits always fit into 64 bits, so nothing below can overflow.
        guard start < end, end - start <= 18 else { return nil }
        var number = 0
        for index in start..<end {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            number = number &* 10 &+ Int(digit)
        }
        return number
    }

    private func missing(_ column: CSVColumn) -> CSVError {
        failure("column \(column.name): a value is missing")
    }

    private func unexpected(_ column: CSVColumn, _ expected: String) -> CSVError {
        let field = fields[column.index]
        let found = String(
            decoding: bytes[field.start..<min(field.end, field.start + 40)], as: UTF8.self)
        return failure("column \(column.name): expected \(expected), found \"\(found)\"")
    }
}
