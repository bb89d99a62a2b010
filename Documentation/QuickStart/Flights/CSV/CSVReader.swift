/// A cursor over the rows of a file of comma-separated values (RFC 4180: fields in double quotes
/// may hold commas, line ends and doubled quotes).
///
/// It works on bytes and keeps only the bounds of the current row's fields, so a number costs no
/// `String`. A row that does not have exactly the header's columns is an error.
package struct CSVReader {
    package let file: String
    package private(set) var columnNames: [String]
    /// The line on which the current row begins, counted from 1.
    package private(set) var line = 1
    /// How many bytes have been read.
    package private(set) var position = 0

    let bytes: [UInt8]
    private(set) var fields: [CSVField] = []
    private var nextLine = 1

    init(_ source: CSVFile) throws(CSVError) {
        file = source.name
        bytes = source.bytes
        columnNames = []
        guard !bytes.isEmpty else {
            throw CSVError(file: file, line: 1, reason: "the file is empty; a header was expected")
        }
        // The byte order mark that some programs write in front of UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        try readFields()
        var names: [String] = []
        for index in fields.indices {
            names.append(try text(CSVColumn(index: index, name: "header")))
        }
        columnNames = names
    }

    /// The column of that name in the header.
    package func column(_ name: String) throws(CSVError) -> CSVColumn {
        guard let index = columnNames.firstIndex(of: name) else {
            throw CSVError(file: file, line: 1, reason: "the header has no column \"\(name)\"")
        }
        return CSVColumn(index: index, name: name)
    }

    /// Moves to the next row; false at the end of the file. Blank lines are skipped.
    package mutating func next() throws(CSVError) -> Bool {
        while position < bytes.count, bytes[position] == .newline || bytes[position] == .return {
            if bytes[position] == .newline { nextLine += 1 }
            position += 1
        }
        guard position < bytes.count else { return false }
        try readFields()
        guard fields.count == columnNames.count else {
            throw failure("expected \(columnNames.count) fields, found \(fields.count)")
        }
        return true
    }

    /// An error that names this file and the current line.
    package func failure(_ reason: String) -> CSVError {
        CSVError(file: file, line: line, reason: reason)
    }

    private mutating func readFields() throws(CSVError) {
        line = nextLine
        fields.removeAll(keepingCapacity: true)
        var isLast = false
        while !isLast {
            if position < bytes.count, bytes[position] == .quote {
                fields.append(try quotedField())
            } else {
                fields.append(plainField())
            }
            isLast = position == bytes.count || bytes[position] == .newline
            if position < bytes.count { position += 1 }
        }
        nextLine += 1
    }

    private mutating func plainField() -> CSVField {
        let start = position
        // Unsafe: lent for the call, and read between the position and the end.
        var end = bytes.withUnsafeBufferPointer { bytes in
            var end = start
            while end < bytes.count, bytes[end] != .comma, bytes[end] != .newline { end += 1 }
            return end
        }
        position = end
        // A line may end in return and newline.
        if end > start, bytes[end - 1] == .return, end == bytes.count || bytes[end] == .newline {
            end -= 1
        }
        return CSVField(start: start, end: end, hasDoubledQuotes: false)
    }

    private mutating func quotedField() throws(CSVError) -> CSVField {
        let start = position + 1
        var end = start
        var hasDoubledQuotes = false
        while true {
            guard end < bytes.count else { throw failure("a quoted field is never closed") }
            if bytes[end] == .newline { nextLine += 1 }
            if bytes[end] == .quote {
                guard end + 1 < bytes.count, bytes[end + 1] == .quote else { break }
                hasDoubledQuotes = true
                end += 1
            }
            end += 1
        }
        position = end + 1
        if position < bytes.count, bytes[position] == .return { position += 1 }
        guard position == bytes.count || bytes[position] == .comma || bytes[position] == .newline
        else { throw failure("text follows the closing quote of a field") }
        return CSVField(start: start, end: end, hasDoubledQuotes: hasDoubledQuotes)
    }
}

/// A column of a file, found by its name in the header.
package struct CSVColumn: Sendable {
    let index: Int
    let name: String
}

/// Where a field of the current row stands in the file's bytes.
struct CSVField {
    var start: Int
    var end: Int
    var hasDoubledQuotes: Bool
}

extension UInt8 {
    static let newline = UInt8(ascii: "\n")
    static let `return` = UInt8(ascii: "\r")
    static let comma = UInt8(ascii: ",")
    static let quote = UInt8(ascii: "\"")
}
